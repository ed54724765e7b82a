/** The steps of a path in a dataset, without slashes at its ends; empty for all of it. */
export const normalisePath = (path: string | undefined): string =>
  (path ?? '')
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/');
