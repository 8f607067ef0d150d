import { holdsSuite } from '../support/holds/run.ts'
import { CHROMIUM } from './browser.ts'
import { openGatedExtension } from './gated.ts'

if (CHROMIUM === null) console.log('SKIPPED 8 no Chromium is installed to load the extension into')
else await holdsSuite('extension', { every: 6 }, openGatedExtension)
