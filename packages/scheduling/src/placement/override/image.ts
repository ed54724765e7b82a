import type { ImageOverrider } from '@perigee/api/kinds/placement/overriders';
import { OverrideError } from '../../errors.ts';

/** A container image in its parts: `registry/repository:tag` or `registry/repository@digest`. */
interface Image {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

/** Free of backtracking: no two parts can start with the same character. */
const NAME =
  /^(?<repository>[a-z0-9][a-z0-9._/-]*)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,}))?$/;
/** Otherwise the first part belongs to the repository. */
const isRegistry = (text: string): boolean => /[.:]/.test(text) || text === 'localhost';
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,}$/;

const SHOWN = 100;

const quote = (text: string): string =>
  JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

const parseName = (name: string, registry: string): Image | undefined => {
  const { groups } = NAME.exec(name) ?? {};
  if (groups === undefined) return undefined;
  const { repository = '', tag = '', digest = '' } = groups;
  return { registry, repository, tag, digest };
};

const parseImage = (text: string): Image => {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(slash, 0));
  const image =
    (isRegistry(first) ? parseName(text.slice(slash + 1), first) : undefined) ??
    parseName(text, '');
  if (image !== undefined) return image;
  throw new OverrideError(`${quote(text)} is no image`);
};

/** Prefers the tag; the digest is used without one. */
const formatImage = ({ registry, repository, tag, digest }: Image): string => {
  const version = tag !== '' ? `:${tag}` : digest !== '' ? `@${digest}` : '';
  return `${registry === '' ? '' : `${registry}/`}${repository}${version}`;
};

const withVersion = (image: Image, version: string): Image => {
  if (TAG.test(version)) return { ...image, tag: version, digest: '' };
  if (DIGEST.test(version)) return { ...image, tag: '', digest: version };
  throw new OverrideError(`${quote(version)} is neither a tag nor a digest`);
};

const changePart = (part: string, { operator, value = '' }: ImageOverrider): string => {
  if (operator === 'remove') return '';
  return operator === 'add' ? part + value : value;
};

/** A copy of the image with one component changed. */
export const overrideImage = (text: string, overrider: ImageOverrider): string => {
  const image = parseImage(text);
  switch (overrider.component) {
    case 'Registry':
      return formatImage({ ...image, registry: changePart(image.registry, overrider) });
    case 'Repository':
      return formatImage({ ...image, repository: changePart(image.repository, overrider) });
    case 'Tag': {
      const version = changePart(image.tag || image.digest, overrider);
      return formatImage(
        version === '' ? { ...image, tag: '', digest: '' } : withVersion(image, version),
      );
    }
  }
};
