const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const READ_BY_PEOPLE = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** True if a reply is indented: as the query says, or else for programs that people read it in. */
export const wantsPretty = (
  pretty: string | null | undefined,
  userAgent: string | undefined,
): boolean => (pretty ? TRUE.has(pretty) : READ_BY_PEOPLE.test(userAgent ?? ''));
