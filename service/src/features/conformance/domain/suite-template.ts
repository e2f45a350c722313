// The template for the provider's plans: all claims of the test wallet's PID that a standard scope requests.

const value = (...path: string[]) => [{ credential: 'pid', path }]

const ADDRESS = ['street_address', 'postal_code', 'locality', 'country']
const NAMES = ['given_name', 'family_name', 'birthdate', 'email', 'phone_number', 'picture']

export const SUITE_TEMPLATE = {
  key: 'conformance',
  document: {
    title: 'Conformance',
    description: 'Names, date of birth, address, email, phone number and portrait.',
    query: {
      credentials: [
        {
          id: 'pid',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eudi:pid:1'] },
          claims: [...NAMES.map((name) => ({ path: [name] })), ...ADDRESS.map((name) => ({ path: ['address', name] }))],
        },
      ],
    },
    outputs: {
      ...{ given_name: { value: value('given_name') }, family_name: { value: value('family_name') } },
      ...{ birth_date: { value: value('birthdate') }, portrait: { value: value('picture'), as: 'bytes' } },
      ...{ email: { value: value('email') }, phone_number: { value: value('phone_number') } },
      address: { object: Object.fromEntries(ADDRESS.map((name) => [name, value('address', name)])) },
    },
  },
} as const
