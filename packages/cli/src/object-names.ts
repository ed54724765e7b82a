/** The names that fit into the path of a request: any other would be about another object, or a part of one. */
const IN_A_PATH = /^(?!\.{1,2}$)[^/%]+$/;

/** False for a text that can be the name of no object, whatever its kind. */
export const canBeName = (text: string): boolean => IN_A_PATH.test(text);

interface Target {
  readonly kind: string;
  /** Absent if the target has no name, or one that no object can have. */
  readonly name?: string;
}

/** Splits `deployment/web` into a kind and a name. */
export const splitTarget = (target: string): Target => {
  const at = target.indexOf('/');
  if (at < 0) return { kind: target };
  const [kind, name] = [target.slice(0, at), target.slice(at + 1)];
  return canBeName(name) ? { kind, name } : { kind };
};
