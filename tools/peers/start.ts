import { FOR_RECORDING, NO_FSYNC, startControlPlane } from './control-plane.ts';

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined || flags.some((flag) => flag !== NO_FSYNC && flag !== FOR_RECORDING)) {
  console.error(`usage: node tools/peers/start.ts FOLDER [${NO_FSYNC}] [${FOR_RECORDING}]`);
  console.error(
    'FOLDER is that of tools/peers/build.sh. With the first flag, etcd is faster and not durable; with the second, the server answers as it did when the tests were recorded.',
  );
  process.exit(2);
}

const stopSignal = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Not just once: who asks again must not end this before it has ended the others.
  process.on(signal, () => stopSignal.resolve());
}
await using plane = await startControlPlane(folder, {
  isDurable: !flags.includes(NO_FSYNC),
  isForRecording: flags.includes(FOR_RECORDING),
});
console.log(`export PERIGEE_TEST_KUBECONFIG=${plane.kubeconfig}`);
console.error('kube-apiserver is ready; end it with Ctrl-C');
const awake = setInterval(() => {}, 2 ** 30);
await stopSignal.promise;
clearInterval(awake);
