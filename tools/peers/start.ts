import {
  FOR_RECORDING,
  FOR_RECORDING_KINDS,
  NO_FSYNC,
  startControlPlane,
} from './control-plane.ts';

const FLAGS = [NO_FSYNC, FOR_RECORDING, FOR_RECORDING_KINDS];

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined || flags.some((flag) => !FLAGS.includes(flag))) {
  const usage = FLAGS.map((flag) => `[${flag}]`).join(' ');
  console.error(`usage: node tools/peers/start.ts FOLDER ${usage}`);
  console.error(
    'FOLDER is that of tools/peers/build.sh. With the first flag, etcd is faster and not durable; with the others, the server answers as it did when the tests were recorded.',
  );
  process.exit(2);
}

const stopSignal = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Not just once: who asks again must not end this before it has ended the others.
  process.on(signal, () => stopSignal.resolve());
}
const recording = flags.includes(FOR_RECORDING_KINDS)
  ? ({ recording: 'kinds' } as const)
  : flags.includes(FOR_RECORDING)
    ? ({ recording: 'answers' } as const)
    : {};
await using plane = await startControlPlane(folder, {
  isDurable: !flags.includes(NO_FSYNC),
  ...recording,
});
console.log(`export PERIGEE_TEST_KUBECONFIG=${plane.kubeconfig}`);
console.error('kube-apiserver is ready; end it with Ctrl-C');
const awake = setInterval(() => {}, 2 ** 30);
await stopSignal.promise;
clearInterval(awake);
