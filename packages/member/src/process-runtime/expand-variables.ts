import { PodConfigError } from '../errors.ts';

type Variables = { readonly [name: string]: string };

const REFERENCE = /\$(\$|\(([^)]*)\))/g;
/** Limit of Linux on a single argument or variable. */
const LONGEST = 131_071;

/**
 * Expands `$(NAME)`, as kubelets do: unknown names stay, and `$$` becomes `$`. Throws when the result would exceed the
 * limit of Linux.
 */
export const expandVariables = (text: string, variables: Variables): string => {
  // No reference ends after the last `)`, so the search can stop there.
  const end = text.lastIndexOf(')') + 1;
  let length = text.length;
  const expanded = text.slice(0, end).replace(REFERENCE, (whole, mark: string, name: string) => {
    if (mark === '$') return '$';
    const value = Object.hasOwn(variables, name) ? (variables[name] as string) : whole;
    length += value.length - whole.length;
    if (length <= LONGEST) return value;
    throw new PodConfigError(
      `with the values of its variables, a text has more than ${LONGEST} characters`,
      { isLasting: true },
    );
  });
  return expanded + text.slice(end).replaceAll('$$', () => '$');
};
