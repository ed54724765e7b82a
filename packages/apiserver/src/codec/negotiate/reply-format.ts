import { present } from '@perigee/schema/present';
import { notAcceptable } from '../../status/request-refusals.ts';
import { type AcceptClause, parseAccept } from './media-type.ts';

/** Shape of the reply, which decides on its possible transformations. */
export type ReplyShape =
  /** One object of a resource. */
  | 'object'
  /** The result of an action, such as a review: it has no table. */
  | 'outcome'
  | 'list'
  | 'watch'
  /** The roots of discovery, `/api` and `/apis`. */
  | 'discovery'
  /** Anything else, which is sent as it is. */
  | 'plain';

export interface ReplyFormat {
  readonly encoding: 'json' | 'yaml';
  /** For the Content-Type header. */
  readonly contentType: string;
  /** The media type asks for a form that people can read. */
  readonly isPretty: boolean;
  /** Transformation of the object, and the version of the result. */
  readonly as?: { readonly kind: TransformKind; readonly version: string };
}

export type TransformKind =
  | 'Table'
  | 'PartialObjectMetadata'
  | 'PartialObjectMetadataList'
  | 'APIGroupDiscoveryList';

type Transform = NonNullable<ReplyFormat['as']>;

const ENCODINGS = [
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
] as const;

const META_KINDS: readonly string[] = [
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
] satisfies readonly TransformKind[];
const META_VERSIONS = ['v1', 'v1beta1'];
const DISCOVERY_GROUP = 'apidiscovery.k8s.io';
const DISCOVERY_VERSIONS = ['v2', 'v2beta1'];

const offers = (shape: ReplyShape, group: string, version: string, kind: string): boolean => {
  if (shape === 'plain' || (shape === 'outcome' && kind === 'Table')) return false;
  if (shape === 'discovery') {
    return (
      group === DISCOVERY_GROUP &&
      DISCOVERY_VERSIONS.includes(version) &&
      kind === 'APIGroupDiscoveryList'
    );
  }
  return group === 'meta.k8s.io' && META_VERSIONS.includes(version) && META_KINDS.includes(kind);
};

/** The transformation that a clause requests: none, a supported one, or an unsupported one. */
const transformOf = (
  { parameters }: AcceptClause,
  shape: ReplyShape,
): Transform | 'none' | 'unknown' => {
  const [kind, group, version] = ['as', 'g', 'v'].map((name) => parameters.get(name));
  if (kind === undefined && group === undefined && version === undefined) return 'none';
  if (!offers(shape, group ?? '', version ?? '', kind ?? '')) return 'unknown';
  return { kind: kind as TransformKind, version: version ?? '' };
};

const matches = ({ type }: AcceptClause, mediaType: string): boolean =>
  type === mediaType || type === '*/*' || (type === 'application/*' && mediaType.startsWith('app'));

const contentTypeOf = (mediaType: string, as: Transform | undefined): string =>
  as?.kind === 'APIGroupDiscoveryList'
    ? `${mediaType};g=${DISCOVERY_GROUP};v=${as.version};as=${as.kind}`
    : mediaType;

const refuseWrongShape = (kind: TransformKind, shape: ReplyShape): void => {
  if (kind === 'PartialObjectMetadata' && shape === 'list') {
    throw notAcceptable(`you requested ${kind}, but the requested object is a list`);
  }
  if (kind === 'PartialObjectMetadataList' && shape !== 'list') {
    throw notAcceptable(`you requested ${kind}, but the requested object is not a list`);
  }
};

const encodingsOf = (shape: ReplyShape) =>
  shape === 'watch' ? ENCODINGS.filter(([, encoding]) => encoding === 'json') : ENCODINGS;

/**
 * The best reply that an Accept header admits, as kube-apiserver chooses it. Replies are never
 * protobuf: every client that asks for it admits JSON as well. Throws a 406.
 */
export const replyFormat = (accept: string | undefined, shape: ReplyShape): ReplyFormat => {
  const encodings = encodingsOf(shape);
  for (const clause of parseAccept(accept || '*/*')) {
    const stream = clause.parameters.get('stream') ?? '';
    if (stream !== '' && stream !== 'watch') continue;
    const transform = transformOf(clause, shape);
    if (transform === 'unknown') continue;
    for (const [mediaType, encoding] of encodings) {
      if (!matches(clause, mediaType)) continue;
      const as = transform === 'none' ? undefined : transform;
      if (as !== undefined) refuseWrongShape(as.kind, shape);
      return {
        encoding,
        contentType: contentTypeOf(mediaType, as),
        isPretty: clause.parameters.get('pretty') === '1',
        ...present({ as }),
      };
    }
  }
  const suffix = shape === 'watch' ? ';stream=watch' : '';
  throw notAcceptable(encodings.map(([mediaType]) => `${mediaType}${suffix}`));
};
