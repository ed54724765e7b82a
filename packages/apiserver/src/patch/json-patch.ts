import { parseExactJson } from '@perigee/schema/exact-json';
import type { JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { PatchError } from '../errors.ts';
import { type JsonPatchOperation, parseJsonPatch } from './json-patch-operation.ts';
import { addAt, lookUp, PatchedDocument, type Place, removeAt, setAt } from './patched-document.ts';

const MAX_COPIED_BYTES = 3 * 1024 * 1024;

const MISSING = 'missing value';

const refuse = (message: string): never => {
  throw new PatchError(422, message);
};

const pathOf = ({ op, path }: JsonPatchOperation): string => {
  if (path !== undefined) return path;
  const brief = op === 'add' || op === 'remove' || op === 'copy';
  return refuse(
    `${op} operation failed to decode path: ${brief ? '' : 'operation missing path field: '}${MISSING}`,
  );
};

const fromOf = ({ op, from }: JsonPatchOperation): string =>
  from ??
  refuse(`${op} operation failed to decode from: operation, missing from field: ${MISSING}`);

const orRefuse = (problem: string | undefined, context: string): void => {
  if (problem !== undefined) refuse(`${context}: ${problem}`);
};

const valueAt = (place: Place, context: string): JsonValue | undefined => {
  const lookup = lookUp(place);
  return 'problem' in lookup ? refuse(`${context}: ${lookup.problem}`) : lookup.value;
};

const add = (document: PatchedDocument, operation: JsonPatchOperation): void => {
  const path = pathOf(operation);
  const place =
    document.open(path) ??
    refuse(`add operation does not apply: doc is missing path: "${path}": ${MISSING}`);
  orRefuse(addAt(place, operation.value), `error in add for path: '${path}'`);
};

const remove = (document: PatchedDocument, operation: JsonPatchOperation): void => {
  const path = pathOf(operation);
  const place =
    document.open(path) ??
    refuse(`remove operation does not apply: doc is missing path: "${path}": ${MISSING}`);
  orRefuse(removeAt(place), `error in remove for path: '${path}'`);
};

const replace = (document: PatchedDocument, operation: JsonPatchOperation): void => {
  const path = pathOf(operation);
  if (path === '') {
    if (typeof operation.value !== 'object' || operation.value === null) {
      refuse('replace operation value must be object or array');
    }
    document.root = operation.value;
    return;
  }
  const place =
    document.open(path) ??
    refuse(`replace operation does not apply: doc is missing path: ${path}: ${MISSING}`);
  if ('problem' in lookUp(place)) {
    refuse(`replace operation does not apply: doc is missing key: ${path}: ${MISSING}`);
  }
  setAt(place, operation.value);
};

const move = (document: PatchedDocument, operation: JsonPatchOperation): void => {
  const from = fromOf(operation);
  const source =
    document.open(from) ??
    refuse(`move operation does not apply: doc is missing from path: ${from}: ${MISSING}`);
  const value = valueAt(source, `error in move for path: '${source.key}'`) ?? null;
  orRefuse(removeAt(source), `error in move for path: '${source.key}'`);
  const path = pathOf(operation);
  const target =
    document.open(path) ??
    refuse(`move operation does not apply: doc is missing destination path: ${path}: ${MISSING}`);
  orRefuse(addAt(target, value), `error in move for path: '${path}'`);
};

const test = (document: PatchedDocument, operation: JsonPatchOperation): void => {
  const path = pathOf(operation);
  const failure = `testing value ${path} failed: test failed`;
  if (path === '') {
    if (!sameJson(document.root, operation.value)) refuse(failure);
    return;
  }
  const place =
    document.find(path) ??
    refuse(`test operation does not apply: is missing path: ${path}: ${MISSING}`);
  const value = valueAt(place, `error in test for path: '${path}'`) ?? null;
  if (!sameJson(value, operation.value)) refuse(failure);
};

/** Returns how many bytes it copied. */
const copy = (
  document: PatchedDocument,
  operation: JsonPatchOperation,
  copiedBytes: number,
): number => {
  const from = fromOf(operation);
  const source =
    document.find(from) ??
    refuse(`copy operation does not apply: doc is missing from path: ${from}: ${MISSING}`);
  const value = valueAt(source, `error in copy for from: '${from}'`) ?? null;
  const path = pathOf(operation);
  const target =
    document.open(path) ??
    refuse(`copy operation does not apply: doc is missing destination path: ${path}: ${MISSING}`);
  const text = JSON.stringify(value);
  const total = copiedBytes + Buffer.byteLength(text);
  if (total > MAX_COPIED_BYTES) {
    refuse(
      `Unable to complete the copy, the accumulated size increase of copy is ${total}, exceeding the limit ${MAX_COPIED_BYTES}`,
    );
  }
  // A separate copy, since a later operation may change one of the two in place.
  orRefuse(addAt(target, parseExactJson(text)), 'error while adding value during copy');
  return total;
};

/**
 * Applies a JSON patch (RFC 6902) as kube-apiserver does: a negative index counts from the end, and
 * `replace` may name a field that is not there. Throws a `PatchError`; the document is never changed.
 */
export const applyJsonPatch = (document: JsonValue, patch: JsonValue): JsonValue => {
  const patchedDocument = new PatchedDocument(document);
  let copiedBytes = 0;
  for (const operation of parseJsonPatch(patch)) {
    switch (operation.op) {
      case 'add':
        add(patchedDocument, operation);
        break;
      case 'remove':
        remove(patchedDocument, operation);
        break;
      case 'replace':
        replace(patchedDocument, operation);
        break;
      case 'move':
        move(patchedDocument, operation);
        break;
      case 'test':
        test(patchedDocument, operation);
        break;
      case 'copy':
        copiedBytes = copy(patchedDocument, operation, copiedBytes);
        break;
      default:
        refuse(`Unexpected kind: ${operation.op}`);
    }
  }
  return patchedDocument.root;
};
