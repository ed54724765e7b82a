import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { JudgedTarget } from '@perigee/scheduling/placement/triggers/next-targets';
import { targetKey } from '@perigee/scheduling/placement/triggers/select-targets';
import { askAfresh } from './ask-afresh.ts';
import { eachAtMost } from './each-at-most.ts';
import { isTriggerThere, kindOf } from './trigger-lookup.ts';
import type { TriggersMemory } from './trigger-memory.ts';
import type { TriggerRun } from './trigger-run.ts';

/** Concurrent writes of bindings, which share a flush. */
const AT_ONCE = 32;

/**
 * Requests rescheduling of the targets. Refusals by the server are retried later. Returns false if a conflict requires
 * reading a target anew.
 */
export const beginTargets = async (
  { trigger, run, memory }: TriggerRun,
  targets: readonly JudgedTarget<Binding>[],
  { retryMs, own }: { readonly retryMs: number; readonly own: TriggersMemory['own'] },
  context: ReconcileContext,
): Promise<boolean> => {
  const { uid, name } = trigger.metadata;
  const { cache, clock, signal } = context;
  const asker = { uid, trigger: name, run, isThere: (of: string) => isTriggerThere(cache, of) };
  const ask = async ({ resource, binding }: JudgedTarget<Binding>): Promise<boolean> => {
    if (binding === undefined) return true;
    try {
      const updatedBinding = await askAfresh(binding, asker, context);
      if (updatedBinding !== undefined)
        own.note(updatedBinding, cache(kindOf(updatedBinding)).get(refOf(updatedBinding)));
      return updatedBinding !== undefined;
    } catch (error) {
      signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      memory.refusals.set(targetKey(resource), { message, untilMs: clock.now() + retryMs });
      return true;
    }
  };
  let isAll = true;
  await eachAtMost(AT_ONCE, targets, async (target) => {
    const isDealtWith = await ask(target);
    isAll &&= isDealtWith;
  });
  return isAll;
};
