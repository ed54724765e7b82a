import type { StoredObject } from './s3-server.ts';
import { strict } from './s3-signature.ts';

const PAGE = 3;

const xml = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c,
  );

/** Keys in the order of their bytes, page by page. */
export const list = (objects: Map<string, StoredObject>, query: URLSearchParams): string => {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const after = query.get('continuation-token') ?? '';
  const size = Math.min(PAGE, Number(query.get('max-keys') ?? PAGE));
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const items = new Map<string, string>();
  for (const key of keys) {
    const at = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
    const object = objects.get(key)!;
    if (at !== -1) {
      const common = key.slice(0, at + 1);
      items.set(common, `<CommonPrefixes><Prefix>${strict(common)}</Prefix></CommonPrefixes>`);
    } else {
      const time = new Date(object.modifiedMs).toISOString();
      items.set(
        key,
        `<Contents><Key>${strict(key)}</Key><Size>${object.bytes.length}</Size><ETag>&quot;${object.etag}&quot;</ETag><LastModified>${time}</LastModified></Contents>`,
      );
    }
  }
  const remainingItems = [...items].filter(
    ([key]) => after === '' || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0,
  );
  const page = remainingItems.slice(0, size);
  const isCut = remainingItems.length > page.length;
  const next = isCut
    ? `<NextContinuationToken>${xml(page.at(-1)?.[0] ?? '')}</NextContinuationToken>`
    : '';
  return `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${next}${page.map(([, text]) => text).join('')}</ListBucketResult>`;
};
