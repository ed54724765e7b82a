import { parseAccept } from '../codec/negotiate/media-type.ts';

/** Encoding of an OpenAPI document. */
export type OpenApiForm = 'json' | 'protobuf';

export const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** Not a valid media type, but the one that kubectl asks for. */
const PROTOBUF_V2_OF_OLD = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

const JSON_TYPES = ['application/json', 'application/*', '*/*'];

/** The form to answer in; undefined for who takes none of those there are. */
export const openApiForm = (path: string, accept: string | undefined): OpenApiForm | undefined => {
  if (accept === undefined || accept === '') return 'json';
  for (const { type } of parseAccept(accept)) {
    if (JSON_TYPES.includes(type)) return 'json';
    if (path === '/openapi/v2' && [PROTOBUF_V2, PROTOBUF_V2_OF_OLD].includes(type)) {
      return 'protobuf';
    }
  }
  return undefined;
};
