/** The environment variables that a browser needs to start. Keys and secrets of this process are not passed on. */
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|TEMP|TMP|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_.*|DBUS_SESSION_BUS_ADDRESS|FONTCONFIG_.*|LD_LIBRARY_PATH|SSL_CERT_.*|https?_proxy|no_proxy|SYSTEMROOT|WINDIR|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAM.*|COMSPEC|PATHEXT)$/i

/** The environment of this process without its keys and secrets. */
export const ownEnv = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || !PASSED_ON.test(name) ? [] : [[name, value]],
    ),
  )
