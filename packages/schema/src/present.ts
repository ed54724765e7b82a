/** The same fields; those that may be undefined are optional instead. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

const withoutUndefined = <T extends object>(fields: T): object => {
  const result: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) result[name] = fields[name];
  return result;
};

/**
 * The fields that have a value, for optional fields of an object: `{ name, ...present({ uid, owner }) }`.
 * JSON leaves undefined fields out anyway; comparisons and loops over names do not.
 */
export const present = <T extends object>(fields: T): Present<T> => {
  // Mostly all have one, and a copy would cost more than this look at them.
  for (const name in fields) {
    if (fields[name] === undefined) return withoutUndefined(fields) as Present<T>;
  }
  return fields as object as Present<T>;
};

/** The text or list itself unless it is empty: `present({ groups: unlessEmpty(groups) })`. */
export const unlessEmpty = <T extends string | readonly unknown[]>(value: T): T | undefined =>
  value.length === 0 ? undefined : value;
