const ENTITIES: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

const decode = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(#x?[0-9a-fA-F]{1,6}|[a-z]{2,4});/g, (all, name: string) => {
        if (!name.startsWith('#')) return ENTITIES[name] ?? all;
        const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
        return code <= 0x10ffff ? String.fromCodePoint(code) : all;
      })
    : text;

/** The insides of all elements of that name, in order. Answers of S3 hold no element within one of its own name. */
export const elementsOf = function* (xml: string, name: string): Generator<string> {
  const [begin, end] = [`<${name}>`, `</${name}>`];
  for (let at = xml.indexOf(begin); at !== -1; ) {
    const to = xml.indexOf(end, at);
    if (to === -1) return;
    yield xml.slice(at + begin.length, to);
    at = xml.indexOf(begin, to);
  }
};

/** The text of the first element of that name. */
export const textOf = (xml: string, name: string): string => {
  const begin = `<${name}>`;
  const at = xml.indexOf(begin);
  const to = at === -1 ? -1 : xml.indexOf('<', at + begin.length);
  return to === -1 ? '' : decode(xml.slice(at + begin.length, to));
};

export const escapeXml = (text: string): string =>
  text.replace(/[&<>\r]/g, (char) => `&#${char.charCodeAt(0)};`);
