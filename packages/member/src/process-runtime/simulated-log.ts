const TEXT = 'This pod is simulated: nothing runs in it, so nothing is written.\n';

/** The log of a simulated pod. */
export async function* simulatedLog(): AsyncGenerator<Buffer> {
  yield Buffer.from(TEXT);
}
