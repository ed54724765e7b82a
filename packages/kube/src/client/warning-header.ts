const WARNING = /(\d{3}) \S+ "((?:[^"\\]|\\.)*)"/g;

/** The texts in `Warning: 299 - "…"` headers, by which a server warns of deprecations and the like. */
export const warningTexts = (header: string | readonly string[] | undefined): readonly string[] =>
  [header ?? []]
    .flat()
    .flatMap((value) => [...value.matchAll(WARNING)])
    .filter(([, code]) => code === '299')
    .map(([, , text = '']) => text.replace(/\\(.)/g, '$1'));
