import type { Clock } from '../clock/clock.ts';
import type { InformerHandler } from './informer-handler.ts';

export interface HandlerOptions {
  /** Interval at which the handler gets every object again, as an update without a difference; 0: never. */
  readonly resyncMs?: number;
}

interface Membership<T> {
  readonly handler: InformerHandler<T>;
  active: boolean;
  resync?: Disposable;
}

type Call<T> = (handler: InformerHandler<T>) => void | Promise<void> | undefined;

/** The handlers of an informer, each guarded so that its failures stay its own. */
export class HandlerSet<T> implements Disposable {
  readonly #clock: Clock;
  readonly #present: () => Iterable<T>;
  readonly #onError: (error: unknown) => void;
  /** Replaced on every change: a delivery under way reaches only those who were there before it. */
  #members: readonly Membership<T>[] = [];
  #disposed = false;

  constructor(clock: Clock, present: () => Iterable<T>, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#present = present;
    this.#onError = onError;
  }

  /**
   * Adds a handler, which gets the present objects first; disposing the result removes it. One that is
   * added after the end is never called.
   */
  add(handler: InformerHandler<T>, { resyncMs = 0 }: HandlerOptions): Disposable {
    const member: Membership<T> = { handler, active: !this.#disposed };
    this.#members = [...this.#members, member];
    for (const object of this.#present()) {
      this.#guarded(member, (it) => it.onAdd?.(object, { initial: true }));
    }
    if (resyncMs > 0) this.#resyncEvery(resyncMs, member);
    return { [Symbol.dispose]: () => this.#remove(member) };
  }

  added(object: T, about: { readonly initial: boolean }): void {
    this.#deliver((handler) => handler.onAdd?.(object, about));
  }

  updated(object: T, old: T): void {
    this.#deliver((handler) => handler.onUpdate?.(object, old));
  }

  deleted(object: T, about: { readonly lastKnown: boolean }): void {
    this.#deliver((handler) => handler.onDelete?.(object, about));
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    for (const member of this.#members) this.#remove(member);
  }

  #deliver(call: Call<T>): void {
    for (const member of this.#members) this.#guarded(member, call);
  }

  #guarded(member: Membership<T>, call: Call<T>): void {
    if (!member.active) return;
    try {
      call(member.handler)?.catch(this.#onError);
    } catch (error) {
      this.#onError(error);
    }
  }

  #resyncEvery(resyncMs: number, member: Membership<T>): void {
    if (!member.active) return;
    member.resync = this.#clock.timer(resyncMs, () => {
      for (const object of this.#present()) {
        this.#guarded(member, (handler) => handler.onUpdate?.(object, object));
      }
      this.#resyncEvery(resyncMs, member);
    });
  }

  #remove(member: Membership<T>): void {
    member.active = false;
    member.resync?.[Symbol.dispose]();
    this.#members = this.#members.filter((other) => other !== member);
  }
}
