const TEXT = 'This pod is simulated: nothing runs in it, so nothing is written.\n';

/** What there is to read of a pod that is only played. */
export async function* simulatedLog(): AsyncGenerator<Buffer> {
  yield Buffer.from(TEXT);
}
