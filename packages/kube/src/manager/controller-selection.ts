import { ConfigError } from '../errors.ts';

/**
 * The controllers that a list such as `*,-scheduler` switches on: `*` all of them, a name that one, a name
 * with a dash before it not that one. A name counts more than the star, whatever the order.
 */
export const selectControllers = (list: string, names: readonly string[]): ReadonlySet<string> => {
  const terms = list.split(',').map((term) => term.trim());
  const off = terms.filter((term) => term.startsWith('-')).map((term) => term.slice(1));
  const on = terms.filter((term) => term !== '*' && !term.startsWith('-'));
  const wrong = (why: string) =>
    new ConfigError(
      `cannot select controllers by "${list}": ${why}; ` +
        `the controllers are ${names.toSorted().join(', ')}`,
    );
  const unknown = [...on, ...off].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw wrong(unknown === '' ? 'there is an empty name' : `there is no "${unknown}"`);
  }
  const both = on.find((name) => off.includes(name));
  if (both !== undefined) throw wrong(`"${both}" is switched both on and off`);
  const all = terms.includes('*') ? names : on;
  const selection = new Set(all.filter((name) => !off.includes(name)));
  if (selection.size === 0) throw wrong('nothing is left; begin with * to switch the others on');
  return selection;
};
