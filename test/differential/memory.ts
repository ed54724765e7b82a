import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import type { Operation } from './operation.ts';
import type { Answer } from './peer.ts';

interface Seen {
  readonly first: JsonObject;
  readonly live: JsonObject;
}

export const metadataOf = (object: JsonValue | undefined): JsonObject =>
  isJsonObject(object) && isJsonObject(object.metadata) ? object.metadata : {};

const keyOf = ({ kind, slot }: Pick<Operation, 'kind' | 'slot'>): string => `${kind}/${slot}`;

/** What one server has said about the objects of a sequence. */
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

  /** Keeps what an answer tells; gives the name that the server made up, if it did. */
  learn(operation: Operation, { status, body }: Answer): string | undefined {
    const isObject = status < 300 && isJsonObject(body) && body.kind === operation.kind;
    if (!isObject || operation.subresource === 'scale') return undefined;
    if (operation.verb === 'list' || operation.verb === 'delete-collection') return undefined;
    const metadata = metadataOf(body);
    const hasRealVersion = metadata.resourceVersion !== undefined;
    if (operation.query?.dryRun !== undefined || !hasRealVersion) {
      return operation.generatesName ? String(metadata.name) : undefined;
    }
    const slot = operation.generatesName ? 'g' : operation.slot;
    const key = keyOf({ kind: operation.kind, slot });
    const before = this.#seen.get(key);
    const isSame = metadataOf(before?.first).uid === metadata.uid;
    this.#seen.set(key, { first: isSame && before ? before.first : body, live: body });
    if (!operation.generatesName) return undefined;
    this.#generated.set(operation.kind, String(metadata.name));
    return String(metadata.name);
  }
}
