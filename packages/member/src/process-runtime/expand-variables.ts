import { PodConfigError } from '../errors.ts';

type Variables = { readonly [name: string]: string };

const REFERENCE = /\$(\$|\(([^)]*)\))/g;
/** Linux gives no process a longer argument or variable. */
const LONGEST = 131_071;

/**
 * Puts values in for `$(NAME)`, as kubelets do: an unknown name stays as it is, and `$$` is one `$`. Throws
 * when so much would be put in that no process could be started with it.
 */
export const expandVariables = (text: string, variables: Variables): string => {
  // Behind the last `)` no name ends: nobody need look for its end from every `$(`.
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
