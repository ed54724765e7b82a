import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import type { Operation } from './operation.ts';
import type { Answer } from './peer.ts';

interface Seen {
  readonly first: JsonObject;
  readonly live: JsonObject;
}

export const metadataOf = (object: JsonValue | undefined): JsonObject =>
  isJsonObject(object) && isJsonObject(object.metadata) ? object.metadata : {};

const keyOf = ({ kind, slot }: Pick<Operation, 'kind' | 'slot'>): string => `${kind}/${slot}`;

/** Answers of one server about the objects of a sequence. */
export class Memory {
  readonly #seen = new Map<string, Seen>();
  readonly #generated = new Map<string, string>();

  seen(operation: Operation): Seen | undefined {
    return this.#seen.get(keyOf(operation));
  }

  /** The name that the server made up last for the kind. */
  generatedName(kind: string): string | undefined {
    return this.#generated.get(kind);
  }

  /** Keeps what an answer tells about an object that is there. */
  learn(operation: Operation, { status, body }: Answer): void {
    const isObject = status < 300 && isJsonObject(body) && body.kind === operation.kind;
    if (!isObject || operation.query?.dryRun !== undefined) return;
    const metadata = metadataOf(body);
    if (metadata.resourceVersion === undefined) return;
    const slot = operation.generatesName ? 'g' : operation.slot;
    const key = keyOf({ kind: operation.kind, slot });
    const before = this.#seen.get(key);
    const isSame = metadataOf(before?.first).uid === metadata.uid;
    this.#seen.set(key, { first: isSame && before ? before.first : body, live: body });
    if (operation.generatesName) this.#generated.set(operation.kind, String(metadata.name));
  }
}
