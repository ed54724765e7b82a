const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const READ_BY_PEOPLE = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** True if a reply is indented: by the query, or by default for user agents that people read. */
export const wantsPretty = (
  pretty: string | null | undefined,
  userAgent: string | undefined,
): boolean => (pretty ? TRUE.has(pretty) : READ_BY_PEOPLE.test(userAgent ?? ''));
