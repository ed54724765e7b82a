import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client, WriteOptions } from '@perigee/kube/client/client';
import { ConnectionError } from '@perigee/kube/errors';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';

const WRITES: ReadonlySet<string | symbol> = new Set(['create', 'update', 'patch', 'delete']);

type Args = readonly [kind: ResourceKind, object: unknown, ...rest: readonly unknown[]];

export interface SentWrite {
  readonly verb: string;
  readonly kind: string;
  readonly name: string;
  readonly manager: string | undefined;
  readonly body: object;
}

export interface DyingProcessOptions {
  /** Before a write is sent, or before its answer comes. */
  readonly when: 'before' | 'after';
  readonly diesAt: (write: SentWrite) => boolean;
  /** Told of what the server has taken. */
  readonly onWritten?: (write: SentWrite) => void;
}

/** Parts that differ from run to run, and do not identify a write. */
const PASSING =
  /"resourceVersion":"[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

const readWrite = (verb: string, [kind, ref, ...rest]: Args): SentWrite => {
  const { metadata, name } = ref as { metadata?: { name?: string }; name?: string };
  const { body } = (verb === 'patch' ? rest[0] : {}) as { body?: object };
  const { fieldManager } = (rest.at(-1) ?? {}) as WriteOptions;
  return {
    verb,
    kind: kind.kind,
    name: metadata?.name ?? name ?? '',
    manager: fieldManager,
    body: body ?? (ref as object),
  };
};

/** A process that dies once at each of its writes, and is started anew by the test. */
export class DyingProcess {
  isDead = false;
  crashes = 0;
  readonly #options: DyingProcessOptions;
  readonly #died = new Set<string>();
  /** The phases of operations that were written, in order, by the name of the operation. */
  readonly phases = new Map<string, string[]>();

  constructor(options: DyingProcessOptions) {
    this.#options = options;
  }

  readonly reach = (client: Client): Client =>
    new Proxy(client, {
      get: (target, verb) => {
        const method = Reflect.get(target, verb);
        if (typeof method !== 'function' || !WRITES.has(verb)) return method?.bind?.(target);
        return (...args: Args) => this.#write(String(verb), args, () => method.apply(target, args));
      },
    });

  async #write(verb: string, args: Args, send: () => Promise<unknown>): Promise<unknown> {
    const gone = () => new ConnectionError('the process is gone');
    if (this.isDead) throw gone();
    const write = readWrite(verb, args);
    const { when, diesAt, onWritten } = this.#options;
    const isLast = diesAt(write) && this.#isNew(write);
    if (isLast && when === 'before') {
      this.isDead = true;
      throw gone();
    }
    const answer = await send();
    this.#note(write);
    onWritten?.(write);
    if (!isLast) return answer;
    this.isDead = true;
    throw gone();
  }

  #isNew({ verb, kind, name, manager, body }: SentWrite): boolean {
    const what = [verb, kind, name, manager, JSON.stringify(body).replace(PASSING, '')].join(' ');
    if (this.#died.has(what)) return false;
    this.#died.add(what);
    this.crashes += 1;
    return true;
  }

  #note({ kind, name, body }: SentWrite): void {
    const { status } = body as Partial<Operation>;
    if (status === undefined || !OPERATION_KINDS.some((one) => one.kind === kind)) return;
    this.phases.set(name, [...(this.phases.get(name) ?? []), status.phase]);
  }
}
