/** Hosts that a client which parses them differently would take for an address of this machine, by the broken rule. */
export const malformedHosts: Readonly<Record<string, readonly string[]>> = {
  'must write an IPv4 address as four decimal numbers': [
    ...['2130706433', '0', '127.1', '127.0.1', '127.0.0.1.', '0177.0.0.1', '0177.1', '017700000001', '127.0.0.01'],
    ...['0x7f000001', '0X7F000001', '0x7f.0.0.1', '0x7f.1', '127.0.0.0x1', '127.0.0x1', '256.0.0.1', '1.2.3.4.5'],
  ],
  'must not have an IPv6 address that carries an IPv4 address': [
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001', '::127.0.0.1', '::7f00:1', '::', '::ffff:0:0'],
    ...['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2002:7f00:0001::1'],
  ].map((host) => `[${host}]`),
  'must have a valid IPv6 address in brackets': ['127.0.0.1', '2130706433', ':::1', '1::2::3', '::1::', '12345::1'].map(
    (host) => `[${host}]`,
  ),
  'must have a valid host name': [
    '-localhost',
    'localhost-',
    'local..host',
    '.localhost',
    'localhost..',
    'a'.repeat(64),
  ],
}

/** Hosts that break the grammar itself. */
export const brokenHosts: readonly string[] = [
  ...['[::1%25lo]', '[::1%lo]', '[fe80::1%25eth0]', '[::1', '::1]', '::1', '[]', '[[::1]]', '[::1]x', 'x[::1]'],
  ...['user@127.0.0.1', 'user:word@127.0.0.1', '@127.0.0.1', 'db.example@127.0.0.1', '127.0.0.1@db.example'],
  ...['127%2e0%2e0%2e1', 'localhos%74', '%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1', '127．0．0．1', '①②⑦.0.0.1'],
  ...[
    'lоcalhost',
    'ⓛocalhost',
    'localhost\u00ad',
    'local\u200bhost',
    '𝟙27.0.0.1',
    'loc\u0131alhost',
    'ＬＯＣＡＬＨＯＳＴ',
  ],
  ...['127.0.0.1\t', '127.0.0.1\n', '\t127.0.0.1', '127.0.\n0.1', '127.0.0.1\r', ' 127.0.0.1', '127.0.0.1\u0000'],
]

/** Well-formed hosts of this machine, of private networks and of cloud metadata services. */
export const hostsOfOthers: readonly string[] = [
  ...['127.0.0.1', 'localhost', 'LOCALHOST', 'localhost.', '127.0.0.2', '0.0.0.0', '10.0.0.1', '192.168.0.1'],
  ...[
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0:0:0:0::1]',
    '[fe80::1]',
    '[fd00::1]',
  ],
  ...['[fec0::1]', '[ff02::1]', '255.255.255.255'],
]
