/** The tag of an image reference; `latest` if it has none, nothing if it names a digest instead. */
export const imageTagOf = (image: string): string => {
  const [named = '', digest] = image.split('@');
  const lastPart = named.slice(named.lastIndexOf('/') + 1);
  const colon = lastPart.indexOf(':');
  if (colon >= 0) return lastPart.slice(colon + 1);
  return digest === undefined && named !== '' ? 'latest' : '';
};
