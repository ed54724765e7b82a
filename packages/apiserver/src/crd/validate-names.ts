import { type FieldError, invalid, required } from '@perigee/schema/errors';
import { checkDns1035Label } from '@perigee/schema/values/names';
import type { CrdNames } from './crd.ts';

const labelProblem = (field: string, value: string): readonly FieldError[] => {
  const problems = checkDns1035Label(value);
  return problems.length === 0 ? [] : [invalid(field, value, problems.join(','))];
};

const kindProblem = (field: string, value: string): readonly FieldError[] => {
  const problems = value === '' ? [] : checkDns1035Label(value.toLowerCase());
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [invalid(field, value, detail)];
};

/** Problems of the names of a CRD. */
export const validateNames = (names: CrdNames, path: string): readonly FieldError[] => {
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  return [
    ...(['plural', 'singular', 'kind', 'listKind'] as const)
      .filter((name) => names[name] === '')
      .map((name) => required(`${path}.${name}`)),
    ...(plural === '' ? [] : labelProblem(`${path}.plural`, plural)),
    ...(singular === '' ? [] : labelProblem(`${path}.singular`, singular)),
    ...kindProblem(`${path}.kind`, kind),
    ...kindProblem(`${path}.listKind`, listKind),
    ...shortNames.flatMap((name, at) => labelProblem(`${path}.shortNames[${at}]`, name)),
    ...(kind !== '' && kind === listKind
      ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, at) => labelProblem(`${path}.categories[${at}]`, name)),
  ];
};
