// A merchant's own template, as `saveTemplate` takes it.

export const OWN_TEMPLATE = {
  title: 'Mine',
  description: '',
  query: {
    credentials: [
      {
        id: 'pid',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:eudi:pid:1'] },
        claims: [{ path: ['birthdate'] }],
      },
    ],
  },
}
