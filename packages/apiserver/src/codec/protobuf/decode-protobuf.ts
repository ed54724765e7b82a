import { typeOfKind } from '@perigee/kubernetes/types/kind-types';
import type { JsonObject } from '@perigee/schema/json';
import { MalformedBodyError } from '../../errors.ts';
import { messageReader } from './message-reader.ts';
import { WireReader } from './wire-reader.ts';

interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Envelope extends TypeMeta {
  readonly content: Uint8Array;
  readonly contentEncoding: string;
}

const MAGIC = Buffer.from('k8s\0');

/**
 * Decodes a body of the media type `application/vnd.kubernetes.protobuf` to the equivalent JSON. A body without a
 * kind is decoded as one of the `expected` kind. Throws `MalformedBodyError` for anything but an object of a
 * built-in kind.
 */
export const decodeProtobuf = (body: Uint8Array, expected?: TypeMeta): JsonObject => {
  if (!MAGIC.equals(body.subarray(0, MAGIC.length))) {
    throw new MalformedBodyError(
      'syntax',
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  }
  const envelope = readAll(body.subarray(MAGIC.length), readEnvelope);
  const apiVersion = envelope.apiVersion || (expected?.apiVersion ?? '');
  const kind = envelope.kind || (expected?.kind ?? '');
  if (envelope.contentEncoding !== '') {
    const encoding = JSON.stringify(envelope.contentEncoding);
    throw new MalformedBodyError(
      'syntax',
      `the protobuf body has the unknown encoding ${encoding}`,
    );
  }
  const type = typeOfKind(apiVersion, kind);
  if (type === undefined) {
    throw new MalformedBodyError(
      'syntax',
      `no kind ${JSON.stringify(kind)} of version ${JSON.stringify(apiVersion)} can be read from protobuf; send JSON`,
    );
  }
  return { kind, apiVersion, ...readAll(envelope.content, messageReader(type)) };
};

/** Limit of the names in the path of an error. */
const LONGEST_PATH = 8;

const readAll = <T>(bytes: Uint8Array, read: (reader: WireReader) => T): T => {
  const reader = new WireReader(bytes);
  try {
    return read(reader);
  } catch (error) {
    if (!(error instanceof MalformedBodyError) || reader.trail.length === 0) throw error;
    const names = reader.trail.filter((name) => name !== '');
    const path = names.length > LONGEST_PATH ? [...names.slice(0, LONGEST_PATH), '…'] : names;
    throw new MalformedBodyError(error.problem, `${path.join('.')}: ${error.message}`, {
      cause: error,
    });
  }
};

const readEnvelope = (reader: WireReader): Envelope => {
  let type: TypeMeta = { apiVersion: '', kind: '' };
  let content: Uint8Array = new Uint8Array();
  let contentEncoding = '';
  while (reader.nextField()) {
    if (reader.fieldNumber === 1) type = readTypeMeta(reader);
    else if (reader.fieldNumber === 2) content = reader.bytes();
    else if (reader.fieldNumber === 3) contentEncoding = reader.text();
    else reader.skip();
  }
  return { ...type, content, contentEncoding };
};

const readTypeMeta = (reader: WireReader): TypeMeta => {
  let apiVersion = '';
  let kind = '';
  const outerEnd = reader.enter();
  while (reader.nextField()) {
    if (reader.fieldNumber === 1) apiVersion = reader.text();
    else if (reader.fieldNumber === 2) kind = reader.text();
    else reader.skip();
  }
  reader.leave(outerEnd);
  return { apiVersion, kind };
};
