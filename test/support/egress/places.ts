/** The one private address that tasks may open. */
export const ALLOWED = '10.9.9.9'

/** A name of each, and what it is answered with; in turn, where there are several lists. */
export const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'attacker.example': [['93.184.1.1']],
  'inward.example': [['10.1.2.3']],
  'loopback.example': [['127.0.0.1']],
  'metadata.google.internal': [['169.254.169.254']],
  'inward6.example': [['fd00::5']],
  'loopback6.example': [['::1']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'nat64.example': [['64:ff9b::a01:203']],
  'mixed.example': [['93.184.1.1', '10.1.2.3']],
  'unspecified.example': [['0.0.0.0']],
  'rebind.example': [['93.184.1.2'], ['127.0.0.1'], ['10.1.2.3'], ['169.254.169.254']],
}

/** Spellings of addresses that are nobody's business but the operator's. */
export const HOSTS: readonly string[] = [
  // This machine.
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0x7f.0x0.0x0.0x1', '0177.0.0.1'],
  ...['017700000001', '127.0.0.1.', '127.255.255.254', '0.0.0.0', '0', '0x0', 'localhost', 'LOCALHOST', 'localhost.'],
  ...['a.localhost', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:1]', '[::127.0.0.1]'],
  ...[
    '[64:ff9b::7f00:1]',
    '[64:ff9b::169.254.169.254]',
    '[::ffff:0:127.0.0.1]',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    'user:pw@127.0.0.1',
  ],
  // What clouds tell their machines.
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '[::ffff:a9fe:a9fe]'],
  ...['169.254.169.254.', '168.63.129.16', '100.100.100.200', '[fd00:ec2::254]'],
  // Private networks.
  ...['10.1.2.3', '167838211', '0x0a010203', '012.1.2.3', '172.16.5.6', '192.168.7.8', '192.168.1800', '[fd00::5]'],
  // Names.
  ...Object.keys(NAMES).filter((name) => !['attacker.example', 'rebind.example'].includes(name)),
]

/** Each is a part of one page that tries to reach `HOST`; `KEY` says which. */
export const WAYS: Readonly<Record<string, string>> = {
  image: '<img src="http://HOST/image?KEY">',
  frame: '<iframe src="http://HOST/frame?KEY"></iframe>',
  fetch: `<script>fetch('http://' + 'HOST'.replace(/^.*@/, '') + '/fetch?KEY', { mode: 'no-cors' }).catch(() => {})</script>`,
  socket: `<script>try { new WebSocket('ws://' + 'HOST'.replace(/^.*@/, '') + '/socket?KEY') } catch {}</script>`,
  'redirected image': '<img src="/redirect?to=http://HOST/redirected-image?KEY">',
  'redirected fetch': `<script>fetch('/redirect?to=http://HOST/redirected-fetch?KEY', { mode: 'no-cors' }).catch(() => {})</script>`,
}

/** What goes around proxies, if anything does. */
export const DATAGRAMS = `<script>
  const c = new RTCPeerConnection({ iceServers: [
    { urls: ['stun:10.1.2.3:3478', 'stun:127.0.0.1:3478'] },
    { urls: ['turn:10.1.2.3:3478?transport=udp', 'turn:10.1.2.3:80?transport=tcp', 'turn:127.0.0.1:80?transport=tcp'], username: 'a', credential: 'b' },
  ] })
  c.createDataChannel('x')
  c.createOffer().then((offer) => c.setLocalDescription(offer))
</script>`
