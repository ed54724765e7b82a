import { createRequire } from 'node:module';

/** A variable that a function closes over. */
export interface ClosedOver {
  readonly value: unknown;
}

type Reply = { readonly [field: string]: never };
interface Session {
  connect(): void;
  disconnect(): void;
  post(method: string, params: object, done: (error: Error | null, reply: Reply) => void): void;
}

interface Remote {
  readonly objectId?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly description?: string;
}

interface Property {
  readonly name: string;
  readonly value?: Remote;
}

const DESK = Symbol.for('perigee.sdk.closed-over');
const desks = globalThis as unknown as { [DESK]?: { function: unknown; value?: unknown } };

/**
 * Opens an inspector session on this thread, which replies synchronously; undefined where there is no
 * inspector.
 */
const openSession = (): Session | undefined => {
  try {
    const { Session } = createRequire(import.meta.url)('node:inspector');
    const session: Session = new Session();
    session.connect();
    return session;
  } catch {
    return undefined;
  }
};

const ask = (session: Session, method: string, params: object): Reply | undefined => {
  let answer: Reply | undefined;
  session.post(method, params, (error, reply) => {
    if (error === null) answer = reply;
  });
  return answer;
};

const propertiesOf = (session: Session, objectId: string): Reply =>
  ask(session, 'Runtime.getProperties', { objectId, ownProperties: true }) ?? {};

/** Reads the value behind a remote object of the inspector. */
const fetchValue = (session: Session, desk: string, remote: Remote): ClosedOver => {
  const { objectId, value, unserializableValue } = remote;
  const argument =
    objectId !== undefined
      ? { objectId }
      : unserializableValue !== undefined
        ? { unserializableValue }
        : { value };
  const declaration = 'function (value) { this.value = value; }';
  ask(session, 'Runtime.callFunctionOn', {
    objectId: desk,
    functionDeclaration: declaration,
    arguments: [argument],
  });
  const property = { value: desks[DESK]?.value };
  if (desks[DESK] !== undefined) delete desks[DESK].value;
  return property;
};

/**
 * The variables that a function closes over, with their current values. Undefined in runtimes without an
 * inspector.
 */
export const closedOver = (
  run: (...args: never[]) => unknown,
  names: ReadonlySet<string>,
): ReadonlyMap<string, ClosedOver> | undefined => {
  const session = openSession();
  if (session === undefined) return undefined;
  desks[DESK] = { function: run };
  try {
    const expression = 'globalThis[Symbol.for("perigee.sdk.closed-over")]';
    const desk = ask(session, 'Runtime.evaluate', { expression })?.result as Remote | undefined;
    if (desk?.objectId === undefined) return undefined;
    const own = propertiesOf(session, desk.objectId).result as Property[] | undefined;
    const id = own?.find(({ name }) => name === 'function')?.value?.objectId;
    if (id === undefined) return undefined;
    const internal = propertiesOf(session, id).internalProperties as Property[] | undefined;
    const scopes = internal?.find(({ name }) => name === '[[Scopes]]')?.value?.objectId;
    if (scopes === undefined) return undefined;
    const variables = new Map<string, ClosedOver>();
    // Scopes are listed from the inside out: the innermost variable of a name shadows the others.
    for (const { name: place, value: scope } of (propertiesOf(session, scopes).result ??
      []) as Property[]) {
      if (!/^\d+$/.test(place) || scope?.objectId === undefined) continue;
      if (scope.description === 'Global') continue;
      for (const { name, value } of (propertiesOf(session, scope.objectId).result ??
        []) as Property[]) {
        if (value === undefined || !names.has(name) || variables.has(name)) continue;
        variables.set(name, fetchValue(session, desk.objectId, value));
      }
    }
    return variables;
  } finally {
    delete desks[DESK];
    session.disconnect();
  }
};
