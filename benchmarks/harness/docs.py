def patch(result, d):
  pass
