// English: the template builder.

import type { JsonFault } from './json-text.ts'

export const en = {
  edit: (title: string) => `Edit: ${title}`,
  copyOf: (title: string) => `${title} (copy)`,
  duplicate: 'Duplicate',
  tabs: 'How to write the question',
  choices: 'Choose',
  json: 'JSON',
  learn: 'What do you want to learn?',
  learnLead: 'Choose as little as serves: people decline long questions.',
  groups: { age: 'Age', person: 'Person', contact: 'Contact', document: 'Document', driving: 'Driving' },
  age: 'Whether somebody is old enough',
  ageHint: 'A yes or no. A date of birth, where a wallet has nothing less, is not kept.',
  years: 'At least how many years old?',
  accept: 'Which documents do you accept?',
  acceptLead: 'The holder shows one of them. Each must hold all that you ask for.',
  formats: { 'dc+sd-jwt': 'SD-JWT VC', mso_mdoc: 'mdoc' },
  lacks: (what: string) => `Does not hold: ${what}`,
  noDocument: 'No document that you accept holds all of this at once. Accept more documents, or leave something out.',
  nothingChosen: 'Choose something you want to learn, and the page that asks for it appears here.',
  nothingWritten: 'The page that asks for it appears here as soon as the text is JSON.',
  name: 'What is it called?',
  title: 'Title',
  titleHint: 'For you and your staff. The holder sees what is asked, not this.',
  key: 'Key',
  keyHint: 'Your system asks by it; it cannot be changed later.',
  description: 'Description (optional)',
  intendedUse: 'Intended use (optional)',
  intendedUseHint: 'The registration that this is asked under, unless a verification names another.',
  jsonLabel: 'Question (JSON)',
  jsonHint:
    'A DCQL query, and outputs that say where each claim of the result comes from. Without outputs the result has the names of the credentials.',
  line: (n: number) => `Line ${n}`,
  fault: {
    ends_early: 'the text ends too early: a bracket or quote is not closed.',
    value_expected: 'a value is missing here.',
    name_expected: 'a name in double quotes is missing here.',
    colon_expected: 'a colon is missing after the name.',
    comma_expected: 'a comma is missing before this.',
    trailing_comma: 'there is a comma too many.',
    bad_text: 'this text is not closed, or has a sign that JSON does not know.',
    bad_number: 'this is no number.',
    more_after_end: 'there is something after the end.',
    name_twice: 'this name stands here twice.',
    too_deep: 'this is nested too deeply.',
  } satisfies Record<JsonFault, string>,
  noObject: 'the question must be an object with “query”.',
  beyond:
    'What is written in the JSON tab says more than can be chosen here. It is kept: go on there, or begin anew here.',
  beginAnew: 'Begin anew here',
  preview: 'What the holder sees',
  previewTitle: 'Preview of the hosted page',
  screen: 'Screen',
  screens: { desktop: 'Computer', phone: 'Phone' },
  inWords: 'In words',
  overAsking: 'Do you ask for too much?',
  fine: 'No: nothing here asks for more than it says.',
  advice: {
    birthDate:
      'A date of birth identifies people. If you only need to know whether somebody is old enough, ask for that.',
    instead: 'Ask for the age instead',
    both: 'The date of birth tells the age too: one of the two is enough.',
    personalNumber:
      'A personal number identifies somebody for life, and in some countries only the law may allow you to ask for it.',
  },
  beyondUse: (what: string, document: string, use: string) =>
    `“${what}” from ${document} is not registered for “${use}”.`,
  beyondUseType: (document: string, use: string) => `${document} is not registered for “${use}”.`,
  coveredBy: (use: string) => `“${use}” would cover it.`,
  liveRefuses: 'Live refuses this, and wallets warn of it.',
  notRegistered: 'No registration that can be used covers this: live refuses it.',
  saveAndTry: 'Save and try it',
  saveAndTryHint: 'Makes a test verification with it and opens its page, where the test wallet answers.',
}

export type BuilderWords = typeof en
