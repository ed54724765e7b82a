/** A signal that two others can abort; disposing it lets go of both. */
export interface EitherSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborted as soon as one of the two is, with its reason. Unlike `AbortSignal.any`, it leaves nothing at a
 * signal that lives much longer, such as that of a term.
 */
export const eitherSignal = (first: AbortSignal, second: AbortSignal): EitherSignal => {
  const controller = new AbortController();
  const onFirst = () => controller.abort(first.reason);
  const onSecond = () => controller.abort(second.reason);
  first.addEventListener('abort', onFirst, { once: true });
  second.addEventListener('abort', onSecond, { once: true });
  if (first.aborted) onFirst();
  else if (second.aborted) onSecond();
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      first.removeEventListener('abort', onFirst);
      second.removeEventListener('abort', onSecond);
    },
  };
};
