import type { JsonObject } from '@perigee/schema/json';
import { type Answer, call, Unanswered } from './api-calls.ts';
import { type Ledger, type Stored, stamp } from './ledger.ts';

/** The load of clients on a server until it is killed or they are told to stop. */
export interface Load {
  readonly url: string;
  readonly ledger: Ledger;
  readonly random: () => number;
  readonly isOver: () => boolean;
  /** Told after every answer to a write. */
  readonly onAnswer: () => void;
}

export interface Place {
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
}

export const CONFIG_MAPS: Place = {
  collection: '/api/v1/namespaces/crash/configmaps',
  apiVersion: 'v1',
  kind: 'ConfigMap',
};

export const GADGETS: Place = {
  collection: '/apis/crash.example.com/v1/namespaces/crash/gadgets',
  apiVersion: 'crash.example.com/v1',
  kind: 'Gadget',
};

type How = 'POST' | 'PUT' | 'merge' | 'apply' | 'DELETE';

let writes = 0;

/** Makes one change and records its outcome; true when the server refused it as a conflict. */
export const change = async (
  { url, ledger, onAnswer }: Load,
  place: Place,
  name: string,
  how: How,
): Promise<boolean> => {
  const { collection, apiVersion, kind } = place;
  const path = `${collection}/${name}`;
  writes += 1;
  const write = `${name}.${writes}`;
  const { metadata, data } = stamp(write);
  const { resourceVersion } = ledger.newest(path)?.metadata ?? {};
  const whole = (meta: JsonObject) => ({
    apiVersion,
    kind,
    metadata: { ...metadata, ...meta, name },
    data,
  });
  const requests: { readonly [how in How]: () => Promise<Answer> } = {
    POST: () => call(url, 'POST', collection, whole({})),
    PUT: () => call(url, 'PUT', path, whole(resourceVersion ? { resourceVersion } : {})),
    merge: () => call(url, 'PATCH', path, { metadata, data }, 'application/merge-patch+json'),
    apply: () =>
      call(
        url,
        'PATCH',
        `${path}?fieldManager=crash&force=true`,
        whole({}),
        'application/apply-patch+yaml',
      ),
    DELETE: () => call(url, 'DELETE', path),
  };
  const settle = ledger.intend(path, how === 'DELETE' ? { removes: true } : { write });
  const { code, body } = await requests[how]();
  settle();
  if (code === 409) return true;
  if (code >= 300) throw new Error(`${how} ${path} was answered with ${code}: ${body.message}`);
  ledger.acknowledge(path, how === 'DELETE' ? undefined : (body as Stored));
  onAnswer();
  return false;
};

const UPDATES = ['PUT', 'merge', 'apply', 'DELETE'] as const;
const OWN = 3;

/** Ends quietly when the server goes away, and only then. */
export const untilKilled = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
  }
};

/** Works on objects of its own, and on one that it shares with all others. */
export const runClient = (load: Load, client: string): Promise<void> =>
  untilKilled(async () => {
    const { ledger, random, isOver } = load;
    while (!isOver()) {
      const place = random() < 0.6 ? CONFIG_MAPS : GADGETS;
      const isShared = random() < 0.2;
      const name = isShared ? 'shared' : `${client}-${Math.floor(random() * OWN)}`;
      const isThere = ledger.newest(`${place.collection}/${name}`) !== undefined;
      const choices = isShared ? 3 : UPDATES.length;
      const how = isThere ? UPDATES[Math.floor(random() * choices)] : 'POST';
      const isRefused = await change(load, place, name, how ?? 'merge');
      if (isRefused && !isShared) throw new Error(`${how} ${name} met a conflict`);
    }
  });
