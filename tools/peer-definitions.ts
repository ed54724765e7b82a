import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ApiError } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import type { JsonObject } from '@perigee/schema/json';

export const Definition: ResourceKind = CustomResourceDefinition;

const PAUSE_MS = 250;
const MOST_PAUSES = 120;

/** Waits for what kube-apiserver does a moment after a definition was written. */
export const untilTakenUp = async (check: () => Promise<boolean>): Promise<void> => {
  for (let pauses = 0; pauses < MOST_PAUSES; pauses++) {
    if (await check()) return;
    await realClock.sleep(PAUSE_MS);
  }
  throw new Error('kube-apiserver did not take up the definition');
};

/** The definition of a kind that has one version. */
export const definitionOf = (kind: ResourceKind, schema: JsonObject, rest: JsonObject = {}) => {
  const { group, version, plural, scope } = kind;
  const served = { served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind: kind.kind },
      versions: [{ name: version, ...served, ...rest }],
    },
  };
};

/** Creates a definition, waits until its kind is served, and takes it away with its objects when it is disposed. */
export const serveKind = async (
  peer: Client,
  kind: ResourceKind,
  definition: ReturnType<typeof definitionOf>,
): Promise<AsyncDisposable> => {
  await using stack = new AsyncDisposableStack();
  await peer.create(Definition, definition as never);
  stack.defer(() => peer.delete(Definition, definition.metadata));
  await untilTakenUp(async () => {
    try {
      await peer.list(kind);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return false;
      throw error;
    }
  });
  return stack.move();
};
