import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addressIn, isPublicAddress } from '../../src/net/address-guard.ts'

const test = suite('webhooks: public addresses')

test('[W7] addresses of the public internet are public', () => {
  const open = ['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.15.0.1', '172.32.0.1', '192.167.0.1', '100.63.0.1']
  const open6 = ['2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '::ffff:8.8.8.8', '64:ff9b::808:808']
  for (const address of [...open, ...open6, '100.128.0.1', '223.255.255.255'])
    assert.ok(isPublicAddress(address), address)
})

test('[W7] loopback, private, link-local, shared, multicast and reserved IPv4 addresses are not', () => {
  const closed = ['127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1']
  const more = [
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '239.255.255.250',
  ]
  for (const address of [...closed, ...more, '240.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.2.1']) {
    assert.not(isPublicAddress(address), address)
  }
})

test('[W7] loopback, local, multicast and tunnelled IPv6 addresses are not', () => {
  const closed = ['::', '::1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', 'fec0::1']
  for (const address of [...closed, '2001:db8::1', '2001:0:7f00:1::1', '2002:7f00:1::', '64:ff9b:1::a00:1']) {
    assert.not(isPublicAddress(address), address)
  }
})

test('[W7] a private IPv4 address in an IPv6 spelling is not public', () => {
  const spelled = [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:10.0.0.1',
    '::FFFF:192.168.0.1',
    '::ffff:0:127.0.0.1',
  ]
  for (const address of [
    ...spelled,
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '::127.0.0.1',
    '::ffff:0.0.0.0',
    '64:ff9b::',
  ]) {
    assert.not(isPublicAddress(address), address)
  }
})

test('[W7] what a network translates in its own way, and what clouds tell their machines, is not', () => {
  const translated = ['64:ff9b:1::808:808', '64:ff9b:1:7f00:0:100::', '64:ff9b:1:ffff:ffff:ffff:808:808']
  const metadata = ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16']
  for (const address of [...translated, ...metadata, '::ffff:168.63.129.16', '64:ff9b::168.63.129.16'])
    assert.not(isPublicAddress(address), address)
  assert.ok(isPublicAddress('168.63.129.17'))
})

test('[W7] what is no address is not public', () => {
  for (const text of ['', 'localhost', '127.1', '1.2.3.4.5', '::g', '8.8.8.8:80'])
    assert.not(isPublicAddress(text), text)
})

test('[W7] odd spellings in a URL are the address that they mean', () => {
  const loopback = [
    '0x7f.1',
    '2130706433',
    '017700000001',
    '127.1',
    '0177.0.0.1',
    '0x7f000001',
    '127.0.0.1.',
    '１２７.0.0.1',
  ]
  for (const host of loopback) assert.is(addressIn(new URL(`http://${host}/`)), '127.0.0.1', host)
  assert.is(addressIn(new URL('http://[::FFFF:127.0.0.1]/')), '::ffff:7f00:1')
  assert.is(addressIn(new URL('http://[0:0:0:0:0:0:0:1]:8080/')), '::1')
  for (const host of ['example.com', 'localhost', '127.0.0.1.example.com']) {
    assert.is(addressIn(new URL(`http://${host}/`)), null, host)
  }
})

test.run()
