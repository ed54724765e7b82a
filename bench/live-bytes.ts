import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
};

/** Live bytes of this process after a garbage collection, buffers included. */
export const liveBytes = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
