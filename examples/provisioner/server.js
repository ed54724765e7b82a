/**
 * A provisioner for Perigee: it is asked by POST where some data is, and answers from a catalogue. Replace the
 * catalogue by yours, such as a Hive metastore. docs/provisioner-api.yaml describes what is asked and answered.
 *
 *     node examples/provisioner/server.js examples/provisioner/catalogue.txt 7681
 *
 * Each line of the catalogue is the name of some data, where it is stored, and how much it is.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const MOST_BYTES = 1024 * 1024;

const catalogueIn = (path) =>
  new Map(
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      .map((line) => {
        const [name = '', location = '', size = ''] = line.trim().split(/\s+/);
        return [name, { found: true, location, size }];
      }),
  );

const [, , file, port] = process.argv;

// The file is read for each question, so that data can come and go while it runs.
const server = createServer((request, response) => {
  const answer = (code, body) => {
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  let text = '';
  request.setEncoding('utf8').on('data', (part) => {
    text += part;
    if (text.length > MOST_BYTES) request.destroy();
  });
  request.on('end', () => {
    try {
      const { claim } = JSON.parse(text);
      const name = claim?.spec?.dataSourceName ?? '';
      const found = catalogueIn(file).get(name);
      if (found === undefined) answer(404, { found: false, message: `nobody has written ${name}` });
      else answer(200, found);
    } catch (error) {
      answer(400, { message: String(error) });
    }
  });
});

server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`asked at http://127.0.0.1:${server.address().port}\n`);
});
