import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '@perigee/kube/observe/metrics';

test('counters and gauges are told in the text format, sorted by name and labels', () => {
  const metrics = new Metrics();
  const requests = metrics.counter({
    name: 'requests_total',
    help: 'Requests served.',
    labels: ['verb', 'code'],
  });
  requests.with({ verb: 'list', code: '200' }).increment();
  const get = requests.with({ verb: 'get', code: '200' });
  get.increment();
  get.increment(2.5);
  const depth = metrics.gauge({ name: 'queue_depth', help: 'Items that wait.' }).with();
  depth.set(7);
  depth.add(-3);
  assert.equal(
    metrics.expose(),
    `# HELP queue_depth Items that wait.
# TYPE queue_depth gauge
queue_depth 4
# HELP requests_total Requests served.
# TYPE requests_total counter
requests_total{verb="get",code="200"} 3.5
requests_total{verb="list",code="200"} 1
`,
  );
});

test('a histogram counts values up to each bound, bounds included', () => {
  const metrics = new Metrics();
  const family = metrics.histogram({
    name: 'took_seconds',
    help: 'How long it took.',
    labels: ['controller'],
    buckets: [0.1, 1, 2.5],
  });
  const took = family.with({ controller: 'work' });
  for (const seconds of [0.05, 0.1, 0.5, 1, 3, 100]) took.observe(seconds);
  assert.equal(
    metrics.expose(),
    `# HELP took_seconds How long it took.
# TYPE took_seconds histogram
took_seconds_bucket{controller="work",le="0.1"} 2
took_seconds_bucket{controller="work",le="1"} 4
took_seconds_bucket{controller="work",le="2.5"} 4
took_seconds_bucket{controller="work",le="+Inf"} 6
took_seconds_sum{controller="work"} 104.65
took_seconds_count{controller="work"} 6
`,
  );
});

test('a histogram without labels has buckets all the same', () => {
  const metrics = new Metrics();
  metrics
    .histogram({ name: 'a', help: 'A.', buckets: [1] })
    .with()
    .observe(2);
  assert.match(
    metrics.expose(),
    /^a_bucket\{le="1"\} 0\na_bucket\{le="\+Inf"\} 1\na_sum 2\na_count 1\n/m,
  );
});

test('what is not a number is above all bounds, as for Prometheus itself', () => {
  const metrics = new Metrics();
  metrics
    .histogram({ name: 'a', help: 'A.', buckets: [1, 2] })
    .with()
    .observe(Number.NaN);
  assert.match(
    metrics.expose(),
    /^a_bucket\{le="1"\} 0\na_bucket\{le="2"\} 0\na_bucket\{le="\+Inf"\} 1\na_sum NaN\na_count 1\n/m,
  );
});

test('help and label values are escaped', () => {
  const metrics = new Metrics();
  metrics
    .counter({ name: 'a', help: 'Back\\slash,\nnew line, "quotes".', labels: ['path'] })
    .with({ path: 'C:\\"x"\ny' })
    .increment();
  assert.equal(
    metrics.expose(),
    '# HELP a Back\\\\slash,\\nnew line, "quotes".\n# TYPE a counter\na{path="C:\\\\\\"x\\"\\ny"} 1\n',
  );
});

test('numbers that are not finite have their own spelling', () => {
  const metrics = new Metrics();
  const gauge = metrics.gauge({ name: 'g', help: 'G.', labels: ['of'] });
  gauge.with({ of: 'a' }).set(Infinity);
  gauge.with({ of: 'b' }).set(-Infinity);
  gauge.with({ of: 'c' }).set(Number.NaN);
  gauge.with({ of: 'd' }).set(1e21);
  assert.match(
    metrics.expose(),
    /g\{of="a"\} \+Inf\ng\{of="b"\} -Inf\ng\{of="c"\} NaN\ng\{of="d"\} 1e\+21\n/,
  );
});

test('a family asked for twice is shared, unless it would be another', () => {
  const metrics = new Metrics();
  const options = { name: 'a', help: 'A.', labels: ['x'] } as const;
  metrics.counter(options).with({ x: '1' }).increment();
  metrics.counter(options).with({ x: '1' }).increment();
  assert.match(metrics.expose(), /a\{x="1"\} 2\n/);
  assert.throws(
    () => metrics.gauge(options),
    /the metric a is a counter with the labels \[x\] already/,
  );
  assert.throws(() => metrics.counter({ ...options, labels: ['y'] }), TypeError);
});

test('a metric of something gone can be forgotten', () => {
  const metrics = new Metrics();
  const gauge = metrics.gauge({ name: 'g', help: 'G.', labels: ['cluster'] });
  gauge.with({ cluster: 'a' }).set(1);
  gauge.with({ cluster: 'b' }).set(1);
  gauge.remove({ cluster: 'a' });
  assert.doesNotMatch(metrics.expose(), /cluster="a"/);
  assert.match(metrics.expose(), /cluster="b"/);
});

test('what cannot be told is refused', () => {
  const metrics = new Metrics();
  const help = 'H.';
  assert.throws(() => metrics.counter({ name: '1a', help }), /"1a" is not a metric name/);
  assert.throws(
    () => metrics.counter({ name: 'a', help, labels: ['b-c'] }),
    /"b-c" is not a label name/,
  );
  assert.throws(() => metrics.counter({ name: 'a', help, labels: ['__b'] }), TypeError);
  assert.throws(() => metrics.histogram({ name: 'a', help, labels: ['le'] }), TypeError);
  assert.throws(() => metrics.histogram({ name: 'a', help, buckets: [1, 1] }), RangeError);
  assert.throws(() => metrics.histogram({ name: 'a', help, buckets: [1, Infinity] }), RangeError);
  const counter = metrics.counter({ name: 'a', help }).with();
  assert.throws(() => counter.increment(-1), /a counter cannot change by -1/);
  assert.throws(() => counter.increment(Number.NaN), RangeError);
});
