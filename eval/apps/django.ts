import { join } from 'node:path'
import { pythonPackage, ROOT } from '../harness/cache.ts'
import type { Hands } from '../harness/hands.ts'
import { must } from '../harness/task.ts'
import { type App, type AppTask, press, printed, serve } from './app.ts'

const SITE = join(ROOT, 'eval', 'apps', 'django')

/** Django's admin site over a small shop: forms, lists, filters, bulk actions, popups. */
export const DJANGO: App = {
  name: 'django',
  async start() {
    const packages = await pythonPackage('django', '5.2.19')
    const envIn = (folder: string) => ({
      PYTHONPATH: `${SITE}:${packages}`,
      PYTHONDONTWRITEBYTECODE: '1',
      DJANGO_SETTINGS_MODULE: 'settings',
      SHOP_DATABASE: join(folder, 'shop.sqlite3'),
    })
    const setUp = `cd '${SITE}' && python3 manage.py migrate --run-syncdb -v 0 && python3 manage.py shell -v 0 -c "$(cat seed.py)"`
    const { folder, port, close } = await serve(
      (at, free) => ({
        file: 'sh',
        args: ['-c', `${setUp} && exec python3 manage.py runserver --noreload 127.0.0.1:${free}`],
        env: envIn(at),
      }),
      (free) => `http://127.0.0.1:${free}/admin/login/`,
    )
    return {
      url: `http://127.0.0.1:${port}/admin/`,
      ask: async (question) =>
        JSON.parse(await printed('python3', [join(SITE, 'ask.py'), question], { cwd: SITE, env: envIn(folder) })),
      close,
    }
  },
  get tasks() {
    return TASKS
  },
}

/** The home page, signed in. */
export async function signedIn(s: Hands, url: string): Promise<string> {
  const page = await s.open(url)
  // The browser keeps its cookies from one task to the next.
  if (/Site administration/.test(page)) return page
  await s.fill(await s.ref(/textbox "Username/, page), 'ada')
  await s.fill(await s.ref(/textbox "Password/, page), 'tea4two-please')
  const home = await s.click(await s.ref(/button "Log in"/, page))
  must(home, /Site administration/)
  return home
}

const TASKS: readonly AppTask[] = [
  {
    name: 'django-wrong-password',
    about: 'a refusal is told in the answer of the act that caused it',
    async solve(s, url, hears) {
      const page = await s.open(url)
      await s.fill(await s.ref(/textbox "Username/, page), 'ada')
      await s.fill(await s.ref(/textbox "Password/, page), 'wrong')
      hears('refused', await press(s, /button "Log in"/, page), /Please enter the correct username and password/)
    },
  },
  {
    name: 'django-add-customer',
    about: 'a form; the message that it was saved is told',
    async solve(s, url, hears) {
      const home = await signedIn(s, url)
      const list = await press(s, /link "Customers"/, home)
      const form = await press(s, /link "Add customer"/i, list)
      await s.fill(await s.ref(/textbox "Name/, form), 'Margaret Hamilton')
      await s.fill(await s.ref(/textbox "Email/, form), 'margaret@example.com')
      await s.fill(await s.ref(/checkbox "Newsletter/, form), true)
      hears('saved', await press(s, /button "Save" /, form), /was added successfully/)
    },
    done: [
      "list(Customer.objects.filter(name='Margaret Hamilton').values_list('email', 'newsletter'))",
      [['margaret@example.com', true]],
    ],
  },
  {
    name: 'django-field-errors',
    about: 'errors of fields are told, and the form is sent again',
    async solve(s, url, hears) {
      const list = await press(s, /link "Customers"/, await signedIn(s, url))
      const form = await press(s, /link "Add customer"/i, list)
      // A browser refuses an empty field by itself: the form is checked by the server here.
      await s.fill(await s.ref(/textbox "Name/, form), 'Second Grace')
      await s.fill(await s.ref(/textbox "Email/, form), 'c0@example.com')
      const refused = await press(s, /button "Save" /, form)
      hears('refused', refused, /Please correct the error below/)
      hears('field error', refused, /Customer with this Email already exists/)
      await s.fill(await s.ref(/textbox "Email/, refused), 'second@example.com')
      hears('saved', await press(s, /button "Save" /, refused), /was added successfully/)
    },
    done: ["Customer.objects.filter(email='second@example.com').count()", 1],
  },
  {
    name: 'django-search-and-edit',
    about: 'the search of a list, and a text of several lines',
    async solve(s, url, hears) {
      const list = await press(s, /link "Customers"/, await signedIn(s, url))
      await s.type('Liskov', await s.ref(/textbox "Search/, list))
      const found = await press(s, /button "Search"/, list)
      must(found, /1 result/)
      const form = await press(s, /link "Barbara Liskov"/, found)
      await s.fill(await s.ref(/textbox "Notes/, form), 'Calls on Mondays.\nPrefers green tea.')
      hears('saved', await press(s, /button "Save" /, form), /was changed successfully/)
    },
    done: [
      "Customer.objects.get(name='Barbara Liskov').notes.replace('\\r', '')",
      'Calls on Mondays.\nPrefers green tea.',
    ],
  },
  {
    name: 'django-delete',
    about: 'a deletion with its own page to confirm it',
    async solve(s, url, hears) {
      const list = await press(s, /link "Customers"/, await signedIn(s, url))
      await s.type('c5@example.com', await s.ref(/textbox "Search/, list))
      const found = await press(s, /button "Search"/, list)
      const form = await press(s, /link "Radia Perlman"/, found)
      const sure = await press(s, /link "Delete"/, form)
      must(sure, /Are you sure/)
      hears('saved', await press(s, /button "Yes, I.m sure"/, sure), /was deleted successfully/)
    },
    done: ["Customer.objects.filter(name='Radia Perlman').count()", 0],
  },
  {
    name: 'django-bulk-action',
    about: 'rows are chosen and an action is run on them',
    async solve(s, url, hears) {
      const list = await press(s, /link "Orders"/, await signedIn(s, url))
      const boxes = list
        .split('\n')
        .filter((line) => /checkbox "Select this object/.test(line))
        .slice(0, 2)
      for (const box of boxes) await s.click(await s.ref(/./, box))
      await s.fill(await s.ref(/combobox "Action/, list), 'Mark as shipped')
      hears('saved', await press(s, /button "(Go|Run)/, list), /2 orders were marked as shipped/)
    },
    done: ["Order.objects.filter(status='shipped').count()", 2],
  },
  {
    name: 'django-filter',
    about: 'a filter beside a list, and a count that is read',
    async solve(s, url) {
      const list = await press(s, /link "Customers"/, await signedIn(s, url))
      const filtered = await press(s, /link "No"/, list)
      must(filtered, /\d+ results/)
    },
  },
  {
    name: 'django-inline-rows',
    about: 'rows that are added to a form by its script',
    async solve(s, url, hears) {
      const list = await press(s, /link "Orders"/, await signedIn(s, url))
      const form = await press(s, /link "Add order"/i, list)
      await s.fill(await s.ref(/combobox "Customer/, form), 'Alan Turing')
      await s.fill(await s.ref(/textbox "Ordered on/, form), '2026-12-01')
      const more = await press(s, /"Add another Item"/, form)
      const products = (text: string) => text.split('\n').filter((line) => /combobox.*Kyoto teapot/.test(line))
      const [first = ''] = products(form)
      const second = products(more).at(-1) ?? ''
      await s.fill(await s.ref(/./, first), 'Kyoto teapot')
      await s.fill(await s.ref(/./, second), 'Paper cup')
      hears('saved', await press(s, /button "Save" /, form), /was added successfully/)
    },
    done: [
      "sorted(Item.objects.filter(order__customer__name='Alan Turing', order__ordered_on='2026-12-01').values_list('product__name', flat=True))",
      ['Kyoto teapot', 'Paper cup'],
    ],
  },
  {
    name: 'django-today',
    about: 'a shortcut beside a date',
    async solve(s, url, hears) {
      const list = await press(s, /link "Orders"/, await signedIn(s, url))
      const form = await press(s, /link "Add order"/i, list)
      await s.fill(await s.ref(/combobox "Customer/, form), 'Donald Knuth')
      await press(s, /"Today"/, form)
      await s.fill(await s.ref(/combobox.*Kyoto teapot/, form), 'Harbour teapot')
      hears('saved', await press(s, /button "Save" /, form), /was added successfully/)
    },
    done: [
      "Item.objects.filter(order__customer__name='Donald Knuth', product__name='Harbour teapot', order__ordered_on=__import__('datetime').date.today()).count()",
      1,
    ],
  },
  {
    name: 'django-popup',
    about: 'a window that opens beside the form, and closes with what was made in it',
    async solve(s, url, hears) {
      const list = await press(s, /link "Orders"/, await signedIn(s, url))
      const form = await press(s, /link "Add order"/i, list)
      const popup = await press(s, /Add another customer/, form)
      await s.fill(await s.ref(/textbox "Name/, popup), 'Katherine Johnson')
      await s.fill(await s.ref(/textbox "Email/, popup), 'katherine@example.com')
      await press(s, /button "Save" /, popup)
      const back = await s.look()
      must(back, /Katherine Johnson/)
      await s.fill(await s.ref(/textbox "Ordered on/, back), '2026-12-02')
      await s.fill(await s.ref(/combobox.*Kyoto teapot/, back), 'Paper cup')
      hears('saved', await press(s, /button "Save" /, back), /was added successfully/)
    },
    done: ["Order.objects.filter(customer__name='Katherine Johnson').count()", 1],
  },
  {
    name: 'django-two-lists',
    about: 'what is chosen goes from one list box to another',
    async solve(s, url, hears) {
      const list = await press(s, /link "Products"/, await signedIn(s, url))
      const form = await press(s, /link "Paper cup"/, list)
      await s.click(await s.ref(/option "white"/, form))
      await press(s, /"(Choose|Choose selected [^"]*)"/, form)
      hears('saved', await press(s, /button "Save" /, form), /was changed successfully/)
    },
    done: ["list(Product.objects.get(name='Paper cup').tags.values_list('name', flat=True))", ['white']],
  },
  {
    name: 'django-edit-in-list',
    about: 'a field in a row of a list',
    async solve(s, url, hears) {
      const list = await press(s, /link "Products"/, await signedIn(s, url))
      const lines = list.split('\n')
      const row = lines.findIndex((line) => /Harbour teapot/.test(line))
      const field = lines.slice(row).find((line) => /(spinbutton|textbox)/.test(line)) ?? ''
      await s.fill(await s.ref(/./, field), '37.25')
      hears('saved', await press(s, /button "Save" /, list), /1 product was changed successfully/)
    },
    done: ["str(Product.objects.get(name='Harbour teapot').price)", '37.25'],
  },
  {
    name: 'django-password-mismatch',
    about: 'errors of a form are told in the answer that sends it',
    async solve(s, url, hears) {
      const form = await press(s, /link "Change password"/i, await signedIn(s, url))
      await s.fill(await s.ref(/textbox "Old password/, form), 'tea4two-please')
      await s.fill(await s.ref(/textbox "New password:?"/, form), 'green-leaves-2026')
      await s.fill(await s.ref(/textbox "New password confirmation/, form), 'black-leaves-2026')
      hears('field error', await press(s, /button "Change my password"/i, form), /didn.t match/)
    },
  },
]
