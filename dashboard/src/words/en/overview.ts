// English: the overview.

export const enOverview = {
  overview: {
    title: 'Overview',
    span: 'Time span',
    spans: { day: '24 hours', week: '7 days', month: '30 days' },
    all: 'Verifications',
    rate: 'Success rate',
    rateHint: 'completed, of all that ended',
    time: 'Time to answer',
    timeHint: (p90: string) => `median · 90 % within ${p90}`,
    waiting: 'Waiting now',
    waitingHint: 'can still be answered',
    noFigure: '–',
    before: { day: 'the 24 hours before', week: 'the 7 days before', month: 'the 30 days before' },
    same: (before: string) => `as in ${before}`,
    change: (by: string, before: string) => `${by} on ${before}`,
    points: (by: string) => `${by} points`,
    chart: 'How they ended',
    bar: (when: string, n: { completed: string; failed: string; expired: string }) =>
      `${when}: ${n.completed} completed, ${n.failed} failed, ${n.expired} expired`,
    nothing: 'Nothing ended in this time',
    nothingLead:
      'Finished verifications appear here within seconds, with their outcome, how long people took and why any failed. Start a verification, or choose a longer period.',
    reasons: 'Why they failed',
    noReasons: 'None failed.',
    templates: 'By template',
    devices: 'By device',
    goneDevice: 'a device that is gone',
    channels: 'By channel',
    channelNames: {
      qr: 'QR code',
      same_device: 'Same device',
      dc_api: 'Browser (Digital Credentials API)',
      openid: 'Sign-in (OpenID)',
    } as Record<string, string>,
    ofAll: (share: string) => `${share} completed`,
    webhooks: 'Webhooks',
    webhooksWell: 'Every destination takes what we send.',
    webhooksNone: 'Nothing to send in the last 24 hours.',
    deliveries: (n: { delivered: string; waiting: string; failed: string }) =>
      `Last 24 hours: ${n.delivered} delivered, ${n.waiting} on their way, ${n.failed} given up`,
    quota: 'Quota today',
    steps: 'Still to do',
  },
}
