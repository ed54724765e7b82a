const NUMBER = /^(?:0|[1-9]\d*)$/;

/**
 * True if the first resource version is older than the second. Kubernetes orders the versions of one
 * resource by their number; versions that are not numbers cannot be compared and are never older.
 */
export const isOlderVersion = (version: string, than: string): boolean => {
  if (version.length !== than.length) {
    return version.length < than.length && NUMBER.test(version) && NUMBER.test(than);
  }
  return version < than && NUMBER.test(version) && NUMBER.test(than);
};
