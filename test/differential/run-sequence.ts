import type { JsonValue } from '@perigee/schema/json';
import { acceptedAs } from './accepted.ts';
import type { Situation } from './accepted-difference.ts';
import { compareAnswers, type Difference, differencesOf } from './difference.ts';
import { poolOf } from './kinds/all-pools.ts';
import { type KindPool, resourcePath } from './kinds/kind-pool.ts';
import { Memory, metadataOf } from './memory.ts';
import { Normaliser } from './normalise.ts';
import type { Operation, Sequence } from './operation.ts';
import type { Answer, Peer, PeerRequest, Watching } from './peer.ts';
import { objectName, toRequest } from './to-request.ts';

/** An operation after which two servers did not say the same. */
export interface Finding {
  /** The operation, or the kind whose watches differ. */
  readonly about: Operation | string;
  readonly index: number;
  readonly request?: PeerRequest;
  readonly differences: readonly Difference[];
}

export interface SequenceResult {
  readonly operations: number;
  readonly findings: readonly Finding[];
  /** Number of occurrences of each accepted difference. */
  readonly accepted: ReadonlyMap<string, number>;
}

/** A server, and what is known about it within one sequence. */
interface Side {
  readonly peer: Peer;
  readonly memory: Memory;
  readonly normaliser: Normaliser;
  readonly watches: ReadonlyMap<string, Watching>;
}

const LAST_SLOT = 'last';

const createNamespace = async (peer: Peer, name: string): Promise<void> => {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const request = { method: 'POST', path: '/api/v1/namespaces', body };
  const { status } = await peer.send({ ...request, contentType: 'application/json' });
  if (status !== 201) throw new Error(`${peer.name} answered ${status} to the namespace ${name}`);
};

const openSide = async (
  peer: Peer,
  namespace: string,
  kinds: readonly KindPool[],
  stack: AsyncDisposableStack,
): Promise<Side> => {
  await createNamespace(peer, namespace);
  const watches = new Map<string, Watching>();
  for (const pool of kinds) {
    const path = resourcePath(pool, namespace);
    const { body } = await peer.send({ method: 'GET', path: `${path}?limit=1` });
    const version = String(metadataOf(body).resourceVersion);
    const watch = await peer.watch(`${path}?watch=true&resourceVersion=${version}`);
    watches.set(pool.kind, stack.use(watch));
  }
  return { peer, memory: new Memory(), normaliser: new Normaliser(), watches };
};

const ask = async (side: Side, operation: Operation, namespace: string) => {
  const request = toRequest(operation, side.memory, namespace);
  const answer = await side.peer.send(request);
  side.memory.learn(operation, answer);
  if (operation.generatesName) {
    const beginning = objectName(poolOf(operation.kind), namespace, operation.slot);
    side.normaliser.learnNames(beginning, answer.body);
  }
  const body = side.normaliser.normalise(answer.body);
  const warnings = side.normaliser.normalise(answer.warnings) as readonly string[];
  return { request, answer: { ...answer, body, warnings } };
};

const isDone = ({ status }: Answer): boolean => status >= 200 && status < 300;

const nameIn = (event: JsonValue): JsonValue | undefined =>
  metadataOf((event as { object?: JsonValue }).object).name;

/** Watch events of a kind about the objects of the sequence, up to the last one made. */
const eventsOf = async (side: Side, pool: KindPool, namespace: string) => {
  const last = objectName(pool, namespace, LAST_SLOT);
  const events = await side.watches.get(pool.kind)?.until((event) => nameIn(event) === last);
  const isOwn = (event: JsonValue): boolean =>
    pool.isNamespaced || String(nameIn(event)).startsWith(`${namespace}-`);
  return (events ?? []).filter(isOwn).map((event) => side.normaliser.normalise(event));
};

const withoutVersion = (event: JsonValue): JsonValue =>
  JSON.parse(
    JSON.stringify(event, (key, value) => (key === 'resourceVersion' ? undefined : value)),
  );

/** Events by object, in order. A deletion of many ends them in any order. */
const byObject = (events: readonly JsonValue[], hasVersions: boolean): JsonValue => {
  const comparable = hasVersions ? events : events.map(withoutVersion);
  return Object.groupBy(comparable, (event) => String(nameIn(event))) as {
    [name: string]: JsonValue;
  };
};

/** Versions may be any numbers, but they must grow where those of the other server grow. */
const compareVersions = (left: readonly number[], right: readonly number[]) => {
  const order = (versions: readonly number[]): readonly number[] =>
    versions.map((_, index) => index).sort((a, b) => (versions[a] ?? 0) - (versions[b] ?? 0));
  return differencesOf('order of versions', order(left), order(right));
};

/** Runs the sequence on both servers in lock-step, in a namespace that neither has, up to a difference. */
export const runSequence = async (
  peers: readonly [Peer, Peer],
  { operations }: Sequence,
  options: { readonly namespace: string; readonly comparesTexts: boolean },
): Promise<SequenceResult> => {
  const { namespace, comparesTexts } = options;
  const kinds = [...new Set(operations.map(({ kind }) => kind))].map(poolOf);
  await using stack = new AsyncDisposableStack();
  const [left, right] = await Promise.all([
    openSide(peers[0], namespace, kinds, stack),
    openSide(peers[1], namespace, kinds, stack),
  ]);
  const findings: Finding[] = [];
  const accepted = new Map<string, number>();
  let hasParted = false;
  const add = (finding: Finding, situation: Omit<Situation, 'before' | 'differences'>): void => {
    const { about, index, differences } = finding;
    const whole = { ...situation, before: operations.slice(0, index), differences };
    const unexplained = differences.filter((difference) => {
      const acceptedDifference = acceptedAs(about, difference, whole);
      if (acceptedDifference === undefined) return true;
      accepted.set(acceptedDifference.why, (accepted.get(acceptedDifference.why) ?? 0) + 1);
      hasParted ||= acceptedDifference.parts === true;
      return false;
    });
    if (unexplained.length > 0) findings.push({ ...finding, differences: unexplained });
  };
  const ending = kinds.map(
    ({ kind }): Operation => ({ verb: 'create', kind, slot: LAST_SLOT, changes: [] }),
  );
  let doneCount = 0;
  for (const [index, operation] of [...operations, ...ending].entries()) {
    const live = left.memory.seen(operation)?.live;
    const [one, other] = await Promise.all([
      ask(left, operation, namespace),
      ask(right, operation, namespace),
    ]);
    doneCount++;
    const differences = compareAnswers(one.answer, other.answer, comparesTexts);
    if (differences.length > 0) {
      add(
        { about: operation, index, request: one.request, differences },
        {
          left: one.answer.body,
          right: other.answer.body,
          ...(live === undefined ? {} : { live }),
        },
      );
    }
    // Later answers differ too: after a finding, and after an operation that only one of the servers refused.
    hasParted ||= isDone(one.answer) !== isDone(other.answer);
    if (findings.length > 0 || hasParted) break;
  }
  if (findings.length === 0 && !hasParted) {
    const isOrdered = !operations.some(({ verb }) => verb === 'delete-collection');
    for (const pool of kinds) {
      const [one, other] = await Promise.all([
        eventsOf(left, pool, namespace),
        eventsOf(right, pool, namespace),
      ]);
      const sides = { left: byObject(one, isOrdered), right: byObject(other, isOrdered) };
      const differences = differencesOf('events', sides.left, sides.right);
      if (differences.length > 0) {
        add({ about: pool.kind, index: operations.length, differences }, sides);
      }
    }
    const versions = { left: left.normaliser.versions, right: right.normaliser.versions };
    const differences = isOrdered ? compareVersions(versions.left, versions.right) : [];
    if (differences.length > 0) {
      add({ about: 'versions', index: operations.length, differences }, versions);
    }
  }
  return { operations: doneCount, findings, accepted };
};
