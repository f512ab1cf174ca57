/** A term of the documents, comments and messages, and the words that it replaces. */
export interface Term {
  readonly term: string;
  /** When the term is the right one. */
  readonly use: string;
  /** The words that the term replaces, as CONTRIBUTING lists them. */
  readonly retired: readonly string[];
  /** Finds the retired words in a line. A term without it is a matter of judgment. */
  readonly found?: RegExp;
}

/** Every term, in the order of the table in CONTRIBUTING. At most 40. */
export const terms: readonly Term[] = [
  {
    term: 'publish',
    use: 'the relay publishes an event; `emit` is the same seen from the change',
    retired: ['tell', 'told'],
    found: /\b(tells?|(?<!comanda\.)told|telling)\b/i,
  },
  { term: 'record', use: 'a trigger records a change; the audit records an edit', retired: ['note down'] },
  { term: 'report', use: 'a function, a command or a log reports an error', retired: ['complain of'] },
  {
    term: 'return',
    use: 'a function or an operation returns a value; a service responds with a status',
    retired: ['answers the', 'answers a'],
    found: /\banswers (the|an?|no|how|which|whether|true|false|null|undefined)\b/i,
  },
  {
    term: 'caller, client, row, request, process',
    use: 'name the subject; a sentence begins with it, unless the sentence asks',
    retired: ['Who …', 'What …', 'Whoever …', 'Whatever …'],
    found: /(?<=^|[.:;!?)] |[-|(*] |\*\* )(Who|What|Whoever|Whatever|Whose|Whom)\b(?! \|)/,
  },
  {
    term: 'no process, no client, a person, another session',
    use: 'name the party that acts',
    retired: ['nobody', 'somebody', 'everybody'],
    found: /\b(nobody|somebody|everybody)\b/i,
  },
  {
    term: 'any caller that, any value',
    use: 'a general statement has a subject, too',
    retired: ['whoever', 'whomever', 'whatever', 'for who', 'to who', 'by who'],
    found: /\b(whoever|whomever|whatever|(for|to|by|of|as|from) who)\b/,
  },
  {
    term: 'is, is in, is written',
    use: 'where something is',
    retired: ['stands', 'stood'],
    found: /\b(stands?|stood|standing)\b(?! alone)/i,
  },
  {
    term: 'must',
    use: 'a requirement; `may` is permission, `can` is ability',
    retired: ['shall', 'is to be'],
    found: /\bshall\b|\b(is|are) to be\b/i,
  },
  { term: 'total, amount to', use: 'a sum', retired: ['comes to'], found: /\b(comes? to|came to)\b/i },
  {
    term: 'follow, use, depend on',
    use: 'a rule that a program applies',
    retired: ['goes by', 'leans on'],
    found: /\b(go(es)? by|lean(s|ed|ing)? (up)?on)\b/i,
  },
  {
    term: 'automatically',
    use: 'without a command',
    retired: ['of its own accord'],
    found: /\bof (its|their|his) own accord\b/i,
  },
  {
    term: 'with which, that',
    use: 'a means',
    retired: ['by which', 'by whom'],
    found: /\bby (which|whom)\b/i,
  },
  { term: 'on a timer', use: 'work that repeats', retired: ['by the clock'], found: /\bby the clock\b/i },
  { term: 'fix, repair', use: 'a defect in code or data', retired: ['mend'], found: /\bmend(s|ed|ing)?\b/i },
  { term: 'again, from scratch', use: 'a repetition', retired: ['anew'], found: /\banew\b/i },
  { term: 'except', use: 'an exception to a rule', retired: ['but for'], found: /\bbut for\b/i },
  { term: 'next to, with, in addition to', use: 'company', retired: ['beside'], found: /\bbeside\b/i },
  {
    term: 'skip, ignore',
    use: 'an item that is left as it is',
    retired: ['pass over', 'pass by'],
    found: /\bpass(es|ed|ing)? (over|by)\b/i,
  },
  {
    term: 'obey, respect',
    use: 'a header or a signal that takes effect',
    retired: ['heed'],
    found: /\bheed(s|ed|ing)?\b/i,
  },
  { term: 'as before, always', use: 'no change', retired: ['as ever'], found: /\bas ever\b/i },
  { term: 'still, anyway', use: 'in spite of it', retired: ['all the same'], found: /\ball the same\b/i },
  {
    term: 'has ended',
    use: 'a session, a job or a run',
    retired: ['is over'],
    found: /\b(is|are|was|were) over\b(?! \d)/i,
  },
  { term: 'without success', use: 'a failed try', retired: ['in vain'], found: /\bin vain\b/i },
  {
    term: 'manual edit',
    use: 'a change in Prisma Studio or psql; a person edits by hand',
    retired: ['a hand', 'hands'],
    found:
      /(?<!\b(shakes|changes|other|second|in) )\b(a hand|of hands|hands (edit|write|change|delete)s?)\b/i,
  },
  {
    term: 'our, your',
    use: 'possession',
    retired: ['of ours', 'of yours', 'of theirs'],
    found: /\bof (ours|yours|theirs)\b/i,
  },
  {
    term: 'till session',
    use: 'the time between the opening and the closing of a till; `turn` in the API',
    retired: ['stretch of work'],
    found: /\bstretch of work\b/i,
  },
  {
    term: 'the project, the service',
    use: 'Comanda as code, Comanda as it runs',
    retired: ['the house'],
    found: /\b(of|in) the house\b/i,
  },
  {
    term: 'therefore, so that … not',
    use: 'a consequence',
    retired: ['thereby', 'hence', 'lest', 'whence', 'amiss'],
    found: /\b(thereby|therein|thereof|hence|lest|ere|whence|thence|hereby|amiss|yonder)\b/i,
  },
  {
    term: 'behavior, neighbor, canceled, license, serialize',
    use: 'American spelling',
    retired: ['behaviour', 'neighbour', 'cancelled', 'licence', 'serialise'],
    found:
      /\b\w*(behaviou|neighbou|colou|favou|honou|labou)r\w*|(?<!order\.)\bcancell(ed|ing)\b|\blicences?\b|\b(serial|organ|recogn|normal|optim|initial|minim|maxim|capital|author|summar|synchron)is(e|es|ed|ing|ation)\b|\b(centre|catalogue|programme|misspelt|learnt|spelt|towards|afterwards)\b/i,
  },
];
