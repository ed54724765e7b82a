/** A link of a page to an entry right below it. */
export interface Link {
  readonly name: string;
  readonly isFolder: boolean;
  readonly url: URL;
}

const HREF = /href\s{0,9}=\s{0,9}(?:"([^"]{0,4096})"|'([^']{0,4096})')/gi;

const ENTITIES = /&(amp|#38|#x26);/g;

const decodePath = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/**
 * The files and folders of an index page, as web servers make them. A link that leads anywhere else than right
 * below the page is none of them: to the folder above, to sort the page, to another server.
 */
export const linksOf = (page: string, base: URL): readonly Link[] => {
  const links = new Map<string, Link>();
  for (const [, double, single] of page.matchAll(HREF)) {
    const href = (double ?? single ?? '').replace(ENTITIES, '&');
    if (!URL.canParse(href, base.href)) continue;
    const url = new URL(href, base);
    if (
      url.origin !== base.origin ||
      url.search !== '' ||
      !url.pathname.startsWith(base.pathname)
    ) {
      continue;
    }
    const rest = url.pathname.slice(base.pathname.length);
    const isFolder = rest.endsWith('/');
    const name = decodePath(isFolder ? rest.slice(0, -1) : rest) ?? '';
    const isName = name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
    if (isName && !rest.slice(0, -1).includes('/')) links.set(name, { name, isFolder, url });
  }
  return [...links.values()];
};
