/** Nothing of this is in the name of a host, whatever else is. */
const NO_HOST = /[,@/\\?#\s]/;

/**
 * The problem with the host that a request names; undefined if there is none. Two readers of
 * the same request must not take it to be for different hosts.
 * @param rawHeaders Names and values in turn, as they came; with the `:authority` of HTTP/2.
 */
export const hostProblem = (rawHeaders: readonly string[]): string | undefined => {
  let headers = 0;
  const hosts = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase();
    if (name !== 'host' && name !== ':authority') continue;
    if (name === 'host') headers += 1;
    hosts.add((rawHeaders[at + 1] ?? '').toLowerCase());
  }
  if (headers > 1) return 'a request has one Host header';
  if (hosts.size > 1) return 'the Host header and :authority name different hosts';
  return [...hosts].some((host) => NO_HOST.test(host)) ? 'the host is not a name' : undefined;
};
