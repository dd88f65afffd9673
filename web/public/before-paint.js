// Tells the first paint the theme and whether somebody is signed in; a file of its own because the content policy
// forbids inline scripts.
;(function () {
  function stored(key) {
    try {
      return JSON.parse(localStorage.getItem(key) || 'null').state || {}
    } catch {
      // No storage, nothing in it or a broken value: the default stands.
      return {}
    }
  }
  var theme = stored('theme').theme
  if (theme === 'system') theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  document.documentElement.dataset.theme = theme === 'dark' ? 'dark' : 'light'
  document.documentElement.dataset.session = stored('auth').token ? 'open' : 'none'
})()
