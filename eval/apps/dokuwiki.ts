import { join } from 'node:path'
import { debianPackages } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, printed, serve } from './app.ts'

/** A folder with its settings, its users and its pages; the password is in MD5, as old ones of it are. */
const SET_UP = `set -e
mkdir conf && cp -r /var/lib/dokuwiki/data data
cat > conf/local.php <<END
<?php
\\$conf['title'] = 'Tea wiki';
\\$conf['savedir'] = '$PWD/data';
\\$conf['useacl'] = 1;
\\$conf['superuser'] = 'ada';
END
echo "<?php \\$plugins['testing'] = 0;" > conf/plugins.local.php
printf 'ada:%s:Ada Lovelace:ada@example.com:admin,user\\n' "$(printf tea4two | md5sum | cut -d' ' -f1)" > conf/users.auth.php
printf '*\\t@ALL\\t1\\n*\\t@user\\t8\\n' > conf/acl.auth.php
echo "<?php define('DOKU_CONF', '$PWD/conf/'); define('DOKU_FARM', 'default');" > prepend.php`

/** A wiki in PHP over plain files: coloured boxes of messages above its pages. */
export const DOKUWIKI: App = {
  name: 'dokuwiki',
  async start() {
    await debianPackages('php-cli', 'php-xml', 'php-mbstring', 'dokuwiki')
    const { folder, port, close } = await serve(
      (at, free) => ({
        file: 'sh',
        args: [
          '-c',
          `${SET_UP}\nexec php -d error_reporting=0 -d auto_prepend_file='${at}/prepend.php' -S 127.0.0.1:${free} -t /usr/share/dokuwiki`,
        ],
      }),
      (free) => `http://127.0.0.1:${free}/doku.php`,
    )
    return {
      url: `http://127.0.0.1:${port}/doku.php`,
      ask: (file) => printed('sh', ['-c', 'cat "$1" 2>/dev/null || true', 'sh', join(folder, file)]),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

async function signIn(s: Hands, url: string, password = 'tea4two'): Promise<string> {
  const form = await s.open(`${url}?id=start&do=login`)
  if (!/textbox "Username/.test(form)) return form
  await s.fill(await s.ref(/textbox "Username/, form), 'ada')
  await s.fill(await s.ref(/textbox "Password/, form), password)
  return press(s, /button "Log In"/, form)
}

async function register(s: Hands, url: string, name: string, email: string): Promise<string> {
  const form = await s.open(`${url}?id=start&do=register`)
  await s.fill(await s.ref(/textbox "Username/, form), name)
  await s.fill(await s.ref(/textbox "Real name/, form), 'Second Ada')
  await s.fill(await s.ref(/textbox "E-Mail/, form), email)
  return press(s, /button "Register"/, form)
}

const TASKS: readonly AppTask[] = [
  {
    name: 'doku-wrong-password',
    about: 'a sign-in that is refused',
    async solve(s, url, hears) {
      hears('refused', await signIn(s, url, 'coffee'), /username or password was wrong/)
    },
  },
  {
    name: 'doku-name-taken',
    about: 'a registration that is refused',
    async solve(s, url, hears) {
      hears('refused', await register(s, url, 'ada', 'second@example.com'), /a user with this login already exists/)
    },
  },
  {
    name: 'doku-bad-email',
    about: 'a field whose text the browser itself refuses',
    async solve(s, url, hears) {
      hears('field error', await register(s, url, 'grace', 'nowhere'), /Please include an '@'/)
    },
  },
  {
    name: 'doku-new-page',
    about: 'a page is written and shown',
    async solve(s, url) {
      await signIn(s, url)
      const form = await s.open(`${url}?id=brewing&do=edit`)
      await s.fill(await s.ref(/textbox.*multiline/, form), '====== Brewing ======\nBoil the water first.')
      must(await press(s, /button "Save"/, form), /Boil the water first/)
    },
    done: ['data/pages/brewing.txt', '====== Brewing ======\nBoil the water first.'],
  },
  {
    name: 'doku-profile',
    about: 'the profile is not saved with a wrong password, and then saved',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}?id=start&do=profile`)
      await s.fill(await s.ref(/textbox "Real name/, form), 'Ada King')
      await s.fill(await s.ref(/textbox "Confirm current/, form), 'coffee')
      const refused = await press(s, /button "Save"/, form)
      hears('refused', refused, /the password was wrong/)
      await s.fill(await s.ref(/textbox "Confirm current/, refused), 'tea4two')
      hears('saved', await press(s, /button "Save"/, refused), /User profile successfully updated/)
    },
  },
  {
    name: 'doku-add-user',
    about: 'a user is added on a page of the administration',
    async solve(s, url, hears) {
      await signIn(s, url)
      const form = await s.open(`${url}?id=start&do=admin&page=usermanager`)
      const fields = form.slice(form.indexOf('"Add user"'))
      await s.fill(await s.ref(/textbox "User/, fields), 'grace')
      await s.fill(await s.ref(/textbox "Real Name/, fields), 'Grace Hopper')
      await s.fill(await s.ref(/textbox "Email/, fields), 'grace@example.com')
      await s.fill(await s.ref(/textbox "Password/, fields), 'compiler')
      await s.fill(await s.ref(/textbox "once again/, fields), 'compiler')
      hears('saved', await press(s, /button "Add"/, fields), /User added successfully/)
    },
  },
]
