/** Why a text is not a JSON path of names only, such as `.spec.replicas`; nothing when it is one. */
export const simplePathProblem = (path: string): string | undefined =>
  path.startsWith('.') ? undefined : 'must be a simple json path starting with .';
