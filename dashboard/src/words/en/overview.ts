// English: the overview.

export const enOverview = {
  overview: {
    title: 'Overview',
    span: 'Time span',
    spans: { day: '24 hours', week: '7 days', month: '30 days' },
    all: 'Verifications',
    rate: 'Success rate',
    rateHint: 'of all finished verifications',
    time: 'Time to answer',
    timeHint: (p90: string) => `median · 90 % within ${p90}`,
    waiting: 'Waiting now',
    waitingHint: 'not answered yet',
    noFigure: '–',
    before: { day: 'previous 24 hours', week: 'previous 7 days', month: 'previous 30 days' },
    same: (before: string) => `same as ${before}`,
    change: (by: string, before: string) => `${by} vs ${before}`,
    points: (by: string) => `${by} points`,
    chart: 'Verifications',
    bar: (when: string, n: { completed: string; failed: string; expired: string }) =>
      `${when}: ${n.completed} completed, ${n.failed} failed, ${n.expired} expired`,
    nothing: 'No finished verifications in this period',
    nothingLead: 'Finished verifications appear here within seconds. Start one, or choose a longer period.',
    reasons: 'Reasons for failure',
    noReasons: 'No failed verifications.',
    templates: 'By template',
    devices: 'By device',
    goneDevice: 'Removed device',
    channels: 'By channel',
    channelsNote: (answered: string, expired: string) =>
      `${answered} answered. ${expired} expired without an answer, so they have no channel.`,
    channelNames: {
      qr: 'QR code',
      same_device: 'Same device',
      dc_api: 'Browser (Digital Credentials API)',
      openid: 'Sign-in (OpenID)',
    } as Record<string, string>,
    ofAll: (share: string) => `${share} completed`,
    webhooks: 'Webhooks',
    webhooksWell: 'All deliveries are working.',
    webhooksNone: 'No events in the last 24 hours.',
    deliveries: (n: { delivered: string; waiting: string; failed: string }) =>
      `Last 24 hours: ${n.delivered} delivered, ${n.waiting} in progress, ${n.failed} failed`,
    quota: 'Quota today',
    steps: 'Still to do',
  },
}
