/** A step of a field path: the name of a field, or every element of a list. */
export type PathStep = { readonly field: string } | 'each';

/** Reads `spec.flavors[].flavorID` as steps. */
export const parseFieldPath = (path: string): readonly PathStep[] =>
  path
    .split('.')
    .flatMap((part): PathStep[] =>
      part.endsWith('[]') ? [{ field: part.slice(0, -2) }, 'each'] : [{ field: part }],
    );
