import type { SecureContextOptions } from 'node:tls';

/**
 * TLS of all our listeners: TLS 1.2 and newer, with suites that keep old conversations secret when
 * a key is lost, and that check what they decrypt in one step. Suites with CBC have been attacked for
 * decades by how they do it in two.
 */
export const TLS_SUITES: Pick<SecureContextOptions, 'ciphers' | 'minVersion' | 'honorCipherOrder'> =
  {
    minVersion: 'TLSv1.2',
    honorCipherOrder: true,
    ciphers: [
      'TLS_AES_128_GCM_SHA256',
      'TLS_AES_256_GCM_SHA384',
      'TLS_CHACHA20_POLY1305_SHA256',
      'ECDHE-ECDSA-AES128-GCM-SHA256',
      'ECDHE-RSA-AES128-GCM-SHA256',
      'ECDHE-ECDSA-AES256-GCM-SHA384',
      'ECDHE-RSA-AES256-GCM-SHA384',
      'ECDHE-ECDSA-CHACHA20-POLY1305',
      'ECDHE-RSA-CHACHA20-POLY1305',
    ].join(':'),
  };
